# Each target is one step that .ci/run takes as well. `make help` lists them.

SWIFT_SOURCES = Package.swift Sources Tests Benchmarks Faults $(addprefix Examples/,Schedules/Package.swift Schedules/Sources \
	Reader/Package.swift Reader/Sources Widget)
# One build for the demo, the image and a release: the Swift runtime is inside, so it runs where no Swift is installed.
# The toolchain's own linker: the system's warns of a call inside Foundation, which nobody here can mend.
RELEASE = $(RELEASED) --product tideline
RELEASED = --configuration release --static-swift-stdlib -Xswiftc -use-ld=lld
TIDELINE = .build/release/tideline
# So many tests at a time: those on a broker wait for it with deadlines, which two cores cannot keep for all at once.
WIDTH = SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=6
# A terminal sees the compiler's progress; a log only what is wrong.
QUIET = $(shell [ -t 2 ] || echo --quiet)

.PHONY: help build demo test examples reference bench benchmark benchmark-threads counts benchmark-serve benchmark-sinks day simulate memory storm sink-faults fuzz schemas release-schemas lint format \
	repeated-code chaos upgrade-test compose-check compose-test monitoring-test image-check clean
.DEFAULT_GOAL := help

help: ## say what there is
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | column -t -s '|'

build: ## build tideline for use: .build/release/tideline
	@Scripts/setup build
	@echo "building tideline (release)" >&2
	@swift build $(QUIET) $(RELEASE)

demo: build ## everything in one process; make demo ARGS="--seconds 20"
	@$(TIDELINE) demo $(ARGS)

test: schemas ## all tests, on a real broker that it finds by itself; make test ARGS="--filter SinksTests"
	@Scripts/setup build test
	@echo "building and running the tests" >&2
	@$(WIDTH) swift test --disable-xctest $(ARGS)

examples: ## build the packages in Examples, which use the libraries, and compare what they print
	@Scripts/setup build
	@swift build $(QUIET) --package-path Examples/Schedules
	@Examples/Schedules/.build/debug/tides | diff Examples/Schedules/timelines.txt -
	@swift build $(QUIET) --package-path Examples/Reader
	@Examples/Reader/run-offline | diff Examples/Reader/offline.txt -

reference: ## write the schema of configurations and the pages of strategies, settings, messages and failures anew
	@Scripts/setup build test
	@TIDELINE_TEST_WRITE_REFERENCE=1 swift test --disable-xctest --filter 'ReferenceTests|MessagesPageTests|RunbookTests|SinksPageTests'

bench: build ## the pipeline beside its floor and other programs, a table; make bench ARGS="--rows A,D --scale 0.1"
	@Scripts/setup test
	@Scripts/bench $(ARGS)

benchmark: ## time previews, calendars and timers, on one core
	@Scripts/setup build
	@swift build $(QUIET) --configuration release --product timelines-benchmark
	@.build/release/timelines-benchmark
	@swift build $(QUIET) --configuration release --product agendas-benchmark
	@.build/release/agendas-benchmark
	@swift build $(QUIET) --configuration release --product timers-benchmark
	@.build/release/timers-benchmark

benchmark-serve: build ## load on the HTTP API: GETs a second, idle streams, the time from a commit to its event
	@Scripts/setup test
	@swift build $(QUIET) --configuration release --product serve-benchmark
	@.build/release/serve-benchmark $(TIDELINE)

benchmark-sinks: ## timelines a second into files, tables and keys, beside what writes the same fastest
	@Scripts/setup build test
	@swift build $(QUIET) --configuration release --product sinks-benchmark
	@.build/release/sinks-benchmark $(ARGS)

counts: ## instructions and allocations of a record and of a timeline, against thresholds; callgrind, two minutes
	@Scripts/setup build test
	@swift build $(QUIET) $(RELEASED) --product counts-benchmark
	@Scripts/measure-counts

benchmark-threads: ## a second thread of the pipeline's core, in memory: does it add its share?
	@Scripts/setup build
	@swift build $(QUIET) $(RELEASED) --product threads-benchmark
	@.build/release/threads-benchmark

day: ## a simulated day of 10,000 vehicles, with restarts: are reloads what they should be?
	@Scripts/setup build
	@swift build $(QUIET) --configuration release --product day-benchmark
	@.build/release/day-benchmark $(ARGS)

# .ci/run takes few seeds, and the build that the tests need as well.
SEEDS = 1…10000
CONFIGURATION = release
simulate: ## run 10,000 seeds of simulated faults, in two processes; make simulate SEEDS=1…200
	@Scripts/setup build
	@swift build $(QUIET) --configuration $(CONFIGURATION) --product simulate
	@.build/$(CONFIGURATION)/simulate --seed $(SEEDS) --swarm --processes 2 $(ARGS)

memory: ## let ten million ids come and go: does memory follow those that live? ten minutes or more
	@Scripts/setup build
	@swift build $(QUIET) --configuration release --product memory-benchmark
	@.build/release/memory-benchmark $(ARGS)

storm: build ## a million timers due at once, then a calendar and a vehicle of 100,000 widgets; make storm ARGS="20000 2000"
	@Scripts/setup test
	@swift build $(QUIET) --configuration release --product storm-benchmark
	@.build/release/storm-benchmark $(TIDELINE) $(ARGS)

fuzz: ## read a million mutated calendar files, ten minutes or more
	@Scripts/setup build
	@TIDELINE_FUZZ=1000000 swift test $(QUIET) --filter mutatedCalendars

schemas: ## have an independent validator judge schemas/
	@Scripts/setup test
	@Scripts/validate-schemas

release-schemas: ## copy schemas/ to schemas/releases/VERSION, after each change of a schema before the release
	@Scripts/release-schemas

lint: ## check the layout of the sources
	@swift format lint --strict --parallel --recursive $(SWIFT_SOURCES)

repeated-code: ## list the places in the sources that share six or more lines, and count them
	@Scripts/repeated-code

format: ## lay the sources out
	@swift format --in-place --parallel --recursive $(SWIFT_SOURCES)

# The report names this command, not the one below.
CHAOS = $(if $(SECONDS),--seconds $(SECONDS)) $(if $(FAULTS),--faults $(FAULTS)) $(if $(SEED),--seed $(SEED)) $(ARGS)
chaos: ## faults of real processes and brokers by a seed; make chaos SECONDS=600 FAULTS=100 SEED=7 ARGS="--report FILE"
	@Scripts/setup build test
	@swift build $(QUIET) --product tideline
	@swift build $(QUIET) --product chaos
	@.build/debug/chaos $(CHAOS) --command 'make chaos $(if $(SECONDS),SECONDS=$(SECONDS) )$(if \
		$(FAULTS),FAULTS=$(FAULTS) )$(if $(SEED),SEED=$(SEED) )$(if $(ARGS),ARGS="$(ARGS)")'

sink-faults: ## kill sinks and take their targets away; make sink-faults KILLS=50 OUTAGES=20 SECONDS=40 TARGETS=postgres,redis
	@Scripts/setup build test
	@TIDELINE_TEST_SINK_OUTAGE=$(or $(SECONDS),40) \
	    $(if $(KILLS),TIDELINE_TEST_SINK_KILLS=$(KILLS)) $(if $(OUTAGES),TIDELINE_TEST_SINK_OUTAGES=$(OUTAGES)) \
	    $(if $(TARGETS),TIDELINE_TEST_SINKS=$(TARGETS)) swift test --disable-xctest --filter SinkSuiteTests

upgrade-test: ## the last release and the working tree side by side in one group on a real broker, both ways
	@Scripts/setup build test
	@Scripts/upgrade-test

compose-check: ## check docker-compose.yml
	@Scripts/setup compose test
	@Scripts/check-compose

compose-test: ## run docker-compose.yml from a clean checkout: health, output, a takeover; skipped where no engine is
	@Scripts/compose-test $(ARGS) || test $$? -eq 77

monitoring-test: ## check the alerts for Prometheus, and play them
	@Scripts/setup monitoring
	@promtool check rules monitoring/alerts.yaml
	@promtool test rules monitoring/alerts.test.yaml
	@promtool check config --syntax-only monitoring/prometheus.yml

image-check: build ## check that the image has all that the built tideline loads
	@Scripts/setup run
	@Scripts/check-libraries $(TIDELINE)

clean: ## remove what was built and fetched
	@rm -rf .build .venv out demo-timelines Examples/*/.build
