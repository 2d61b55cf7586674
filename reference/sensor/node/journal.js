// A file of JSON lines that several processes share: state is what its lines add up to. One append is one line, so that it is there
// whole or not at all; a line torn by a crash counts for nothing. It only grows: a week of this system's readings is 20 MB.
import {closeSync, fsyncSync, openSync, readSync, writeSync} from 'node:fs';

export class Journal {
  /** apply is called with each line's value, in the order of the file, also for what other processes append. */
  constructor(path, apply) {
    this.file = openSync(path, 'a+');
    this.apply = apply;
    this.read = 0;
    this.rest = Buffer.alloc(0);
    this.refresh();
  }

  /** Takes in what was appended since. */
  refresh() {
    const chunk = Buffer.alloc(1 << 16);
    for (let n; (n = readSync(this.file, chunk, 0, chunk.length, this.read)) > 0; this.read += n) {
      this.rest = Buffer.concat([this.rest, chunk.subarray(0, n)]);
      for (let end; (end = this.rest.indexOf(10)) >= 0; this.rest = this.rest.subarray(end + 1)) {
        const entry = parsed(this.rest.subarray(0, end).toString());
        if (entry !== undefined) this.apply(entry);
      }
    }
  }

  /** Makes an entry durable, and applies it together with everything that stands before it. */
  append(entry) {
    const line = Buffer.from(`\n${JSON.stringify(entry)}\n`); // the first newline ends a line that was torn
    if (writeSync(this.file, line) !== line.length) throw new Error('journal: the disk is full');
    fsyncSync(this.file);
    this.refresh();
  }

  close() {
    closeSync(this.file);
  }
}

function parsed(line) {
  try {
    return line ? JSON.parse(line) : undefined;
  } catch {
    return undefined;
  }
}
