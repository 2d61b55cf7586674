// JSON whose numbers keep their digits: doubles would round them, and a mean over doubles depends on the order of the events.

/** A decimal number: digits * 10^-scale. */
export class Decimal {
  constructor(digits, scale) {
    this.digits = digits;
    this.scale = scale;
  }

  static parse(text) {
    const [, sign, whole, part = '', power = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
    const scale = part.length - Number(power);
    if (Math.abs(scale) > 1000) throw new SyntaxError(`number out of range: ${text}`);
    const digits = BigInt(sign + whole + part);
    return scale < 0 ? new Decimal(digits * 10n ** BigInt(-scale), 0) : new Decimal(digits, scale);
  }

  at(scale) {
    return this.digits * 10n ** BigInt(scale - this.scale);
  }

  plus(other) {
    const scale = Math.max(this.scale, other.scale);
    return new Decimal(this.at(scale) + other.at(scale), scale);
  }

  less(other) {
    const scale = Math.max(this.scale, other.scale);
    return this.at(scale) < other.at(scale);
  }

  between(low, high) {
    return !this.less(new Decimal(BigInt(low), 0)) && !new Decimal(BigInt(high), 0).less(this);
  }

  isInteger() {
    return this.digits % 10n ** BigInt(this.scale) === 0n;
  }

  /** This number divided by n, to so many decimals, halves away from zero. */
  over(n, decimals) {
    const by = BigInt(n) * 10n ** BigInt(Math.max(0, this.scale - decimals));
    const digits = this.scale < decimals ? this.at(decimals) : this.digits;
    const half = digits < 0n ? -by : by;
    return new Decimal((2n * digits + half) / (2n * by), decimals);
  }

  /** One spelling for each number: 24.50 and 24.5 are alike. */
  toString() {
    const text = (this.digits < 0n ? -this.digits : this.digits).toString().padStart(this.scale + 1, '0');
    const whole = text.slice(0, text.length - this.scale);
    const part = this.scale ? text.slice(-this.scale).replace(/0+$/, '') : '';
    return (this.digits < 0n ? '-' : '') + whole + (part && '.' + part);
  }
}

const TOKEN = /[\s]*(?:([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null))/y;

/** Parses JSON; objects become Maps whose names occur once, numbers Decimals. */
export function parseExact(text) {
  JSON.parse(text); // what is no JSON is refused in one place; below, the text is known to be well formed
  TOKEN.lastIndex = 0;
  return value(next(text), text, 0);
}

const LITERAL = {true: true, false: false, null: null};

function next(text) {
  const [, mark, string, number, literal] = TOKEN.exec(text);
  if (mark) return {mark};
  if (string) return {value: JSON.parse(string)};
  return {value: number ? Decimal.parse(number) : LITERAL[literal]};
}

function value(token, text, depth) {
  if (!token.mark) return token.value;
  if (depth > 100) throw new SyntaxError('nested too deep');
  if (token.mark === '[') return array(text, depth);
  const object = new Map();
  for (let name = next(text); name.mark !== '}'; name = next(text)) {
    if (name.mark === ',') continue;
    next(text); // the colon
    if (object.has(name.value)) throw new SyntaxError(`${name.value} occurs twice in one object`);
    object.set(name.value, value(next(text), text, depth + 1));
  }
  return object;
}

function array(text, depth) {
  const items = [];
  for (let item = next(text); item.mark !== ']'; item = next(text)) {
    if (item.mark !== ',') items.push(value(item, text, depth + 1));
  }
  return items;
}
