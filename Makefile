# All that a change has to pass, and other chores. `make` lists them.

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help test lint fmt vet staticcheck race jsonv2 cross bench-check fuzz soak bench cover promises clean

GO       ?= go
FUZZTIME ?= 10s
SYSTEMS  := darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

# Modules with packages of their own, beside the main one.
BENCH       := bench
STATICCHECK  = $(GO) tool -modfile=$(CURDIR)/tools/go.mod staticcheck

# The race detector needs cgo, except on macOS. Where there is no C compiler, the tests run without it.
RACE = $(shell if [ "$$($(GO) env GOOS)" = darwin ] || [ "$$($(GO) env CGO_ENABLED)" = 1 ]; then echo -race; fi)

NPM := interop/node_modules/.installed

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

test: lint race cross bench-check fuzz jsonv2 ## everything that a change has to pass, in a few minutes

lint: fmt vet staticcheck ## formatting, go vet, staticcheck

fmt: ## fail if gofmt would change a file
	@echo "== gofmt"
	@files=$$(find . -name node_modules -prune -o -name '*.go' -exec "$$($(GO) env GOROOT)/bin/gofmt" -l {} +); \
	if [ -n "$$files" ]; then echo "gofmt would change:"; echo "$$files"; exit 1; fi

vet: ## go vet
	@echo "== go vet"
	@$(GO) vet ./...

staticcheck: ## staticcheck, of the version that tools/go.mod pins
	@echo "== staticcheck"
	@$(STATICCHECK) ./...
	@cd $(BENCH) && $(STATICCHECK) ./...

race: $(NPM) ## all tests under the race detector
	@echo "== go test $(RACE)"
	@[ -n "$(RACE)" ] || echo "no C compiler found: the race detector is off"
	@$(GO) test $(RACE) -vet=off ./...

jsonv2: $(NPM) ## all tests once more, on the standard library's experimental JSON
	@echo "== GOEXPERIMENT=jsonv2 go test"
	@GOEXPERIMENT=jsonv2 $(GO) test -vet=off -short ./...

cross: ## build and vet for the systems that the tests don't run on
	@for system in $(SYSTEMS); do \
		echo "== $$system"; \
		export GOOS=$${system%/*} GOARCH=$${system#*/} CGO_ENABLED=0; \
		$(GO) build ./... && $(GO) vet ./... || exit 1; \
	done

bench-check: $(NPM) ## build, vet and test the benchmarks
	@echo "== $(BENCH)"
	@cd $(BENCH) && $(GO) vet ./... && $(GO) build -o /dev/null ./... && $(GO) test -vet=off ./...

fuzz: ## each fuzz target for FUZZTIME (10s)
	@echo "== fuzz, $(FUZZTIME) each"
	@GO="$(GO)" tools/fuzz $(FUZZTIME)

soak: export PATCHBAY_SOAK = 1
soak: $(NPM) ## the long loops in full, each test twenty times, then ten minutes of each fuzz target
	$(GO) test $(RACE) -vet=off -count=20 -timeout=2h ./...
	@GO="$(GO)" tools/fuzz 10m

bench: $(NPM) ## measure Patchbay beside others and print a table
	@cd $(BENCH) && $(GO) run . $(BENCHFLAGS)

cover: $(NPM) ## which code the tests reach, as bin/cover.html
	@mkdir -p bin
	@$(GO) test -vet=off -coverpkg=./... -coverprofile=bin/cover.out ./...
	@$(GO) tool cover -html=bin/cover.out -o bin/cover.html
	@$(GO) tool cover -func=bin/cover.out | tail -n 1

promises: ## write the names of their tests into docs/requirements.md
	@$(GO) test ./internal/promises -run '^TestRepository$$' -update

clean: ## remove what was built or installed here
	rm -rf bin interop/node_modules

# npm packages are installed again only when the lock file has changed.
$(NPM): interop/package-lock.json
	@echo "== npm ci"
	@cd interop && npm ci --no-audit --no-fund --loglevel=error
	@touch $@
