# Two commands: `make run` shows the product, `make test` runs every check. Both
# install what they need beside Go, Node, git and make.

BIN      := build/bin
# The same flags for every go command, those that tests start too, or all is compiled twice.
export GOFLAGS := $(filter-out -trimpath,$(GOFLAGS)) -trimpath
# Go's own without -g: a fifth of the time that SQLite takes went into symbols for a debugger.
CGO_CFLAGS ?= -O2
export CGO_CFLAGS
# The compiler and what reads sources collect their garbage less often, which saves a seventh of
# their time. Neither the product nor a test of it runs like that.
GO       := GOGC=400 go
WINDOW   := desktop,production,webkit2_41
GO_SRC   := $(shell find backend frontend -name '*.go' -not -path '*/node_modules/*') go.mod go.sum
WEB_SRC  := $(shell find frontend -type f -not -path '*/node_modules/*' -not -path '*/dist/*' -not -path '*/e2e/*' -not -name '*.go')
SQL_SRC  := $(wildcard backend/database/migrations/*.sql)

# What `make test` runs with the race detector: the rooms in which calls wait, are joined and
# relayed. Those with SQLite and CEL in them take minutes to compile: `make race` runs all.
RACE_ROOMS := attend bothways broker joined notify session upstream

PKG_CGO    := gcc libc6-dev
PKG_WINDOW := $(PKG_CGO) pkg-config libgtk-3-dev libwebkit2gtk-4.1-dev
PKG_TEST   := chromium-headless-shell xvfb openbox dbus dbus-x11 xdotool x11-utils imagemagick fonts-noto-core fonts-noto-cjk webkit2gtk-driver at-spi2-core gir1.2-atspi-2.0 python3-dbus python3-gi procps desktop-file-utils appstream

PKG_PACKAGES      := $(PKG_WINDOW) mmdebstrap gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-mingw-w64-x86-64 nsis
PKG_PACKAGES_TEST := lintian desktop-file-utils appstream man-db groff rpm jq curl file binutils iproute2 python3 wine wine64

.PHONY: run test build bench bench-page conformance clients sdk sdk-test sdk-crash agents race crash cases swap economy soak reach clean programs compile-ahead check-go check-units go-tests check-rest check-sdk check-web check-lint \
	check-bindings e2e e2e-beside e2e-alone

# With a display the window opens; without one the main job runs in the terminal. What a desk
# starts inherits its environment: the flags of this build are not for that.
ifneq ($(DISPLAY)$(WAYLAND_DISPLAY),)
run: $(BIN)/sekisho-desktop $(BIN)/sekisho
	env -u GOFLAGS -u CGO_CFLAGS $(BIN)/sekisho-desktop
else
run: $(BIN)/sekishod $(BIN)/sekisho
	env -u GOFLAGS -u CGO_CFLAGS $(BIN)/sekisho demo
endif

build: $(BIN)/sekisho-desktop $(BIN)/sekishod $(BIN)/sekisho $(BIN)/sekisho-hook

# What is installed first, side by side, since most of it waits for the network, and beside it
# the compiler, which does not. Then the window's program and checks, two at a time, each told when
# it is over: the end-to-end tests wait more than they work. Those that look at the clock come
# last, beside what takes one core.
test:
	@$(MAKE) --no-print-directory -j4 --output-sync=target build/.apt-test compile-ahead frontend/dist/index.html $(SDK_IN)/package.json
	@$(MAKE) --no-print-directory -j2 --output-sync=target e2e-beside check-units check-sdk check-rest
	@$(MAKE) --no-print-directory -j2 --output-sync=target e2e-alone check-lint
	@echo "all checks passed"

# --- programs

# What needs neither the page nor the libraries of the window. SQLite alone takes a minute.
compile-ahead: | build/.apt-cgo
	$(GO) build ./backend/server
	@$(MAKE) --no-print-directory $(BIN)/sekisho $(BIN)/sekisho-hook

$(BIN)/sekisho: $(GO_SRC)
	CGO_ENABLED=0 $(GO) build -o $@ ./backend/cmd/sekisho

$(BIN)/sekisho-hook: $(GO_SRC)
	CGO_ENABLED=0 $(GO) build -ldflags '-s -w' -o $@ ./backend/cmd/sekisho-hook

$(BIN)/sekishod: $(GO_SRC) $(SQL_SRC) frontend/dist/index.html | build/.apt-cgo
	$(GO) build -o $@ ./backend/cmd/sekishod

$(BIN)/sekisho-desktop: $(GO_SRC) $(SQL_SRC) $(wildcard *.go) build/icon.png frontend/dist/index.html | build/.apt-window
	$(GO) build -tags $(WINDOW) -o $@ .

# The window that the tests may drive from inside. Never shipped. After the other, which compiles
# nearly all of it.
$(BIN)/e2e/sekisho-desktop: $(GO_SRC) $(SQL_SRC) $(wildcard *.go) build/icon.png frontend/dist/index.html | build/.apt-window $(BIN)/sekisho-desktop
	$(GO) build -tags $(WINDOW),e2e -o $@ .

# The library that lets the driver in.
$(BIN)/e2e/automation.so: frontend/e2e/harness/automation.c | build/.apt-window
	mkdir -p $(@D)
	gcc -shared -fPIC -Wall -Werror -o $@ $< $$(pkg-config --cflags --libs webkit2gtk-4.1)

frontend/dist/index.html: $(WEB_SRC) frontend/node_modules/.package-lock.json
	cd frontend && npm run --silent build

frontend/node_modules/.package-lock.json: frontend/package.json frontend/package-lock.json
	cd frontend && npm ci --no-audit --no-fund
	touch $@

build/.apt-cgo:
	build/apt.sh $(PKG_CGO)
	touch $@

build/.apt-window: build/.apt-cgo
	build/apt.sh $(PKG_WINDOW)
	touch $@

build/.apt-test: build/.apt-window
	build/apt.sh $(PKG_TEST)
	touch $@

# --- checks

# Format, vet, staticcheck, and the tests of the house, which read sources.
check-go: frontend/node_modules/.package-lock.json | build/.apt-cgo
	@test -z "$$(gofmt -l *.go backend conformance frontend/*.go | tee /dev/stderr)" || { echo "gofmt -w these files"; exit 1; }
	$(GO) vet ./backend/... ./conformance ./frontend
	$(GO) tool staticcheck ./backend/... ./conformance ./frontend
	$(GO) test -vet=off ./backend

check-units: frontend/node_modules/.package-lock.json | build/.apt-cgo build/.apt-test
	@$(MAKE) --no-print-directory go-tests || { [ -n "$$CI" ] && echo "SECOND TRY of what failed above, by itself" && $(MAKE) --no-print-directory go-tests; }

# What the tests are made of is compiled first. What passed is kept by go, so that a second try
# runs only what failed. Beside other work on two cores a test may run out of time; that it
# needed two tries stands in the output.
go-tests:
	@$(GO) list -test -export ./backend/... ./conformance ./frontend >/dev/null
	go test -vet=off -timeout 30m $$(go list ./backend/... ./conformance ./frontend | grep -v -x -e sekisho/backend $(RACE_ROOMS:%=-e sekisho/backend/%))
	@$(GO) list -test -race -export $(RACE_ROOMS:%=./backend/%) >/dev/null
	go test -race -vet=off -timeout 30m $(RACE_ROOMS:%=./backend/%)

# One after the other: the generator of the bindings writes what check-web reads.
check-rest:
	@$(MAKE) --no-print-directory check-go
	@$(MAKE) --no-print-directory check-web
	@$(MAKE) --no-print-directory check-bindings
	@packaging/test/sources.sh

# The page's types are checked when it is built.
check-web: frontend/dist/index.html
	cd frontend && npm test --silent

check-lint: frontend/node_modules/.package-lock.json
	cd frontend && npm run --silent lint && npm run --silent typecheck:e2e

# The bindings in git are what the generator makes of app.go.
check-bindings: $(BIN)/sekisho-desktop
	$(GO) vet -tags $(WINDOW) .
	$(GO) tool staticcheck -tags $(WINDOW) .
	go test -vet=off -tags $(WINDOW) .
	$(GO) run -tags bindings .
	@test -z "$$(git status --porcelain -- frontend/wailsjs | tee /dev/stderr)" || { echo "commit the bindings"; exit 1; }
	@git ls-files -z frontend/wailsjs | xargs -0 touch -r frontend/package.json # written anew and the same: what is built of them stands

e2e: e2e-beside e2e-alone

# A make of its own builds the programs: while it does, checks beside it start.
e2e-beside e2e-alone: | build/.apt-test
	@$(MAKE) --no-print-directory programs
	cd frontend && npm run --silent e2e -- --project $(@:e2e-%=%)

programs: build $(BIN)/e2e/sekisho-desktop $(BIN)/e2e/automation.so | build/.apt-test

# --- packages; not part of test

.PHONY: packages packages-test

# Debian, Fedora, a tarball, Windows' installer, and the layout of the bundle for macOS: build/bin/packages.
packages: frontend/dist/index.html | build/.apt-packages
	packaging/build.sh

# On clean systems made for it: needs root. The last one builds everything once more.
packages-test: packages | build/.apt-packages-test
	for test in lint install life user windows macos same; do packaging/test/$$test.sh || exit 1; done

build/.apt-packages:
	build/apt.sh $(PKG_PACKAGES)
	touch $@

build/.apt-packages-test: build/.apt-packages
	build/apt.sh $(PKG_PACKAGES_TEST)
	touch $@

# --- figures, and the long form of a check; not part of test

# Go benchmarks, and the table beside the neighbours, which are a module of its own.
# -mod=mod lets that module follow the product's dependencies.
bench: $(BIN)/sekishod $(BIN)/sekisho-hook backend/bench/node_modules/.package-lock.json | build/.apt-cgo
	go test -run xxx -bench . -benchtime 200ms ./backend/pattern ./backend/policy ./backend/sqlite ./backend/workstore
	cd backend/bench && go run -mod=mod . -sekishod ../../$(BIN)/sekishod
	$(MAKE) --no-print-directory bench-page

backend/bench/node_modules/.package-lock.json: backend/bench/package.json backend/bench/package-lock.json
	cd backend/bench && npm ci --no-audit --no-fund --loglevel=error
	touch $@

# From a call's arrival to its dialog on the page; 100,000 calls on it; the window beside an empty one.
bench-page: $(BIN)/sekishod $(BIN)/sekisho-desktop $(BIN)/bench/empty-window | build/.apt-test
	cd frontend && npm run --silent bench:page

$(BIN)/bench/empty-window: backend/bench/emptywindow/main.go | build/.apt-window
	cd backend/bench && $(GO) build -mod=mod -tags $(WINDOW) -o ../../$@ ./emptywindow

# The official suites of MCP, against a server bare and behind the desk.
conformance: $(BIN)/sekishod conformance/node_modules/.package-lock.json
	$(GO) build -o $(BIN)/conformance ./conformance
	$(BIN)/conformance -sekishod $(BIN)/sekishod

conformance/node_modules/.package-lock.json: conformance/package.json conformance/package-lock.json
	cd conformance && npm ci --no-audit --no-fund
	touch $@

# Real clients before and behind the desk; two minutes, since calls are held for one.
clients: $(BIN)/sekishod $(BIN)/sekisho clients/node_modules/.package-lock.json
	cd clients && npm test --silent

clients/node_modules/.package-lock.json: clients/package.json clients/package-lock.json
	cd clients && npm ci --no-audit --no-fund --loglevel=error
	touch $@

# The npm package @sekisho/client. Its tests unpack the packed one into an empty project with the
# real SDKs, which brings the Node that Mastra needs.
SDK     := build/sdk/sekisho-client.tgz
SDK_IN  := sdk/js/test/node_modules/@sekisho/client
NODE_22 := node_modules/node/bin/node

sdk: $(SDK)

$(SDK): $(wildcard sdk/js/src/*) sdk/js/README.md sdk/js/package.json sdk/js/tsconfig.json sdk/js/node_modules/.package-lock.json
	cd sdk/js && npm run --silent build
	mkdir -p build/sdk
	cd sdk/js && npm pack --silent --pack-destination ../../build/sdk
	mv build/sdk/sekisho-client-*.tgz $@

sdk/js/node_modules/.package-lock.json: sdk/js/package.json sdk/js/package-lock.json
	cd sdk/js && npm ci --no-audit --no-fund --loglevel=error
	touch $@

sdk/js/test/node_modules/.package-lock.json: sdk/js/test/package.json sdk/js/test/package-lock.json
	cd sdk/js/test && npm ci --prefer-offline --no-audit --no-fund --loglevel=error
	touch $@

$(SDK_IN)/package.json: $(SDK) sdk/js/test/node_modules/.package-lock.json
	rm -rf $(SDK_IN)
	mkdir -p $(SDK_IN)
	tar -xzf $(SDK) -C $(SDK_IN) --strip-components=1
	touch $@

# The page of the example is bundled and opened by the front end's vite and browser.
sdk-test: $(BIN)/sekishod $(SDK_IN)/package.json frontend/node_modules/.package-lock.json
	cd sdk/js/test && node --test --test-force-exit --test-concurrency=2 *.test.mjs
	cd sdk/js/test && $(NODE_22) --test --test-force-exit --test-concurrency=2 mastra/*.test.mjs

# Kill -9 of the desk and of programs of Mastra, 100 times; sdk-test has a sample of that.
sdk-crash: $(BIN)/sekishod $(SDK_IN)/package.json
	cd sdk/js/test && SEKISHO_SDK_KILLS=100 $(NODE_22) --test --test-force-exit mastra/kill.test.mjs

# One case for each SDK: the programs of the documentation.
check-sdk: $(BIN)/sekishod $(SDK_IN)/package.json frontend/node_modules/.package-lock.json
	cd sdk/js/test && $(NODE_22) --test --test-force-exit --test-concurrency=2 api.test.mjs proof.test.mjs programs.test.mjs

# Real command-line agents, offline against a scripted model: their hooks, and how long they wait; 1.8 GB to install.
agents: $(BIN)/sekishod $(BIN)/sekisho $(BIN)/sekisho-hook agents/node_modules/.package-lock.json
	cd agents && npm test --silent

agents/node_modules/.package-lock.json: agents/package.json agents/package-lock.json
	cd agents && npm ci --no-audit --no-fund --loglevel=error
	touch $@

# How often a person is asked: three days of recorded work through fresh desks.
economy: | build/.apt-cgo
	SEKISHO_ECONOMY=1 go test -count=1 -v -run 'TestEconomy$$' -timeout 30m ./backend/economy

# Kill -9 at random moments, 200 times.
crash: | build/.apt-cgo
	SEKISHO_CRASH_KILLS=200 SEKISHO_TEAM_KILLS=50 SEKISHO_KILLS=200 go test -v -count=1 -run 'TestCrash|TestATeamWorksThroughKills|TestKilledOverBothExecutions' -timeout 60m ./backend/cmd/sekishod

# All tests of Go with the race detector.
race: frontend/dist/index.html | build/.apt-window build/.apt-test
	go test -race -vet=off -timeout 60m $$(go list ./backend/... ./conformance ./frontend | grep -v -x sekisho/backend)
	go test -race -vet=off -tags $(WINDOW) .

# All shared cases of the workspace tools by each door, and all of them that passes in a hostile folder, as root
# and as an ordinary user.
cases: | build/.apt-cgo
	SEKISHO_CASES=all go test -v -count=1 -run 'TestContractSharedCases|TestWhatPassesStaysInside|TestAsAnOrdinaryUser' -timeout 30m ./backend/tool ./backend/cmd/sekishod

# Another hand that swaps paths under the workspace tools, and words put into their commands: a minute each.
swap: | build/.apt-cgo
	SEKISHO_SWAP=60s go test -v -count=1 -run 'TestSwapsLeakNothing|TestNothingWaitsForAFIFO' -timeout 30m ./backend/tool
	go test -run xxx -fuzz FuzzCommand -fuzztime 60s ./backend/guard
	go test -run xxx -fuzz FuzzAFurtherWord -fuzztime 60s ./backend/guard

# What can pass, against brute force over 10,000 random rule sets.
reach:
	SEKISHO_REACH_SETS=10000 go test -v -count=1 -run BruteForce -timeout 30m ./backend/reach

# Ten minutes of load with servers killed at random: nothing of it is left.
soak: | build/.apt-cgo
	SEKISHO_SOAK=10m go test -v -count=1 -run 'TestSoak$$' -timeout 30m ./backend/server

clean:
	rm -rf $(BIN) build/.apt-* frontend/node_modules conformance/node_modules clients/node_modules agents/node_modules backend/bench/node_modules sdk/js/node_modules sdk/js/dist sdk/js/test/node_modules sdk/js/test/programs build/sdk frontend/dist/assets frontend/dist/index.html
