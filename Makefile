# All that a change has to pass, and other chores. `make` lists them.

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help test lint fmt vet staticcheck race jsonv2 cross bench-check fuzz soak bench cover promises interop-agents clean ripgrep

GO       ?= go
FUZZTIME ?= 5s
SYSTEMS  := darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

# The libraries of the vendors of models take minutes to compile, once for each way of compiling. So they are compiled as
# plainly as possible where only our own code is checked, and what is built of them sits out some checks.
QUICK := '-gcflags=github.com/anthropics/anthropic-sdk-go/...=-N -l' \
	'-gcflags=github.com/openai/openai-go/...=-N -l' '-gcflags=google.golang.org/genai/...=-N -l'
LIGHT  = $(shell GO="$(GO)" tools/light)
HEAVY  = $(shell GO="$(GO)" tools/light -heavy)

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
	@$(GO) vet $(RACE) $(QUICK) ./...

staticcheck: ## staticcheck, of the version that tools/go.mod pins
	@echo "== staticcheck"
	@$(STATICCHECK) ./...
	@cd $(BENCH) && $(STATICCHECK) ./...

race: $(NPM) ripgrep ## all tests under the race detector
	@echo "== go test $(RACE)"
	@[ -n "$(RACE)" ] || echo "no C compiler found: the race detector is off"
	@$(GO) build -o /dev/null ./cmd/patchbay # once: several packages build it, and would do so at the same time
	@$(GO) test $(RACE) $(QUICK) -vet=off ./...

jsonv2: $(NPM) ripgrep ## the tests once more, on the standard library's experimental JSON
	@echo "== GOEXPERIMENT=jsonv2 go test"
	@GOEXPERIMENT=jsonv2 $(GO) test -vet=off -short $(LIGHT)

cross: ## build and vet for the systems that the tests don't run on
	@for system in $(SYSTEMS); do \
		echo "== $$system"; \
		export GOOS=$${system%/*} GOARCH=$${system#*/} CGO_ENABLED=0; \
		$(GO) build $$($(GO) list -f '{{if .GoFiles}}{{.ImportPath}}{{end}}' $(LIGHT)) && $(GO) vet $(LIGHT) || exit 1; \
	done
	@mkdir -p bin && cd tools && $(GO) build -o ../bin/typecheck ./typecheck
	@for system in $(SYSTEMS); do \
		echo "== $$system, what is built of vendors' libraries"; \
		export GOOS=$${system%/*} GOARCH=$${system#*/} CGO_ENABLED=0; \
		bin/typecheck $(HEAVY) || exit 1; \
	done

bench-check: $(NPM) ## build, vet and test the benchmarks
	@echo "== $(BENCH)"
	@cd $(BENCH) && $(GO) vet ./... && $(GO) build -o /dev/null ./... && $(GO) test -vet=off ./...

fuzz: ## each fuzz target for FUZZTIME (5s)
	@echo "== fuzz, $(FUZZTIME) each"
	@GO="$(GO)" tools/fuzz $(FUZZTIME)

soak: export PATCHBAY_SOAK = 1
soak: $(NPM) ripgrep ## the long loops in full, each test twenty times, then ten minutes of each fuzz target
	$(GO) test $(RACE) -vet=off -count=20 -timeout=2h ./...
	@GO="$(GO)" tools/fuzz 10m

interop-agents: $(NPM) ## examine the agents of others in AGENTS (all) and write the table in docs/agents.md
	@GO="$(GO)" tools/agents $(AGENTS)

bench: $(NPM) ## measure Patchbay beside others and print a table
	@cd $(BENCH) && $(GO) run . $(BENCHFLAGS)

cover: $(NPM) ripgrep ## which code the tests reach, as bin/cover.html
	@mkdir -p bin
	@$(GO) test -vet=off -coverpkg=./... -coverprofile=bin/cover.out ./...
	@$(GO) tool cover -html=bin/cover.out -o bin/cover.html
	@$(GO) tool cover -func=bin/cover.out | tail -n 1

promises: ## write the names of their tests into docs/requirements.md
	@$(GO) test ./internal/promises -run '^TestRepository$$' -update

clean: ## remove what was built or installed here
	rm -rf bin interop/node_modules interop/agents/*/node_modules

# The tool grep is tested with ripgrep beside its own search. Where it is missing and can be installed without a question,
# it is; elsewhere, and without a network, those tests are skipped and say so.
APT := timeout 120 apt-get -q -y -o Acquire::Retries=0 -o Acquire::http::Timeout=10 -o Acquire::https::Timeout=10

ripgrep:
	@if ! command -v rg >/dev/null && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "== apt-get install ripgrep"; export DEBIAN_FRONTEND=noninteractive; \
		$(APT) install ripgrep >/dev/null 2>&1 || { $(APT) update && $(APT) install ripgrep; } >/dev/null 2>&1 || true; \
	fi
	@command -v rg >/dev/null || echo "ripgrep (rg) is not installed: the tests that compare grep with it are skipped"

# npm packages are installed again only when the lock file has changed.
$(NPM): interop/package-lock.json
	@echo "== npm ci"
	@[ ! -L interop/node_modules ] || rm interop/node_modules # npm would empty the folder of whoever it leads to
	@cd interop && npm ci --no-audit --no-fund --loglevel=error
	@touch $@
