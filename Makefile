# Each target does its own set-up; Go is all that it needs.
GOLANGCI = go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

.PHONY: check lint smoke full kafka repro bench

check: ## what CI runs
	./.ci/run

lint: ## vet and golangci-lint; the first run builds the linter, which takes minutes
	go vet ./...
	$(GOLANGCI) run ./...

smoke: ## the suite: sensor system, its reference, embedded broker
	go tool ginkgo ./scenarios

full: ## every scenario with three seeds, every flaw on the broker too
	go tool ginkgo --timeout 30m ./scenarios -- -profile full

kafka: ## Apache Kafka's jars for -broker process, by Maven, into the user's cache
	mvn -q -B -f system/broker/pom.xml dependency:copy-dependencies -DoutputDirectory=$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/tahanuji/kafka/libs

repro: ## make repro RUN=out/latest/cells/CELL: run a cell's plan and seed again
	go run . replay -times 10 $(RUN)

bench: ## the figures of the README
	go test -run '^$$' -bench . -benchtime 2s ./faults/proxy ./system/check/... ./system/sim/... ./scenarios/run
