import Foundation
import TidelineClient

/// Reads a timeline in a terminal, and goes on where the reader stopped, on this device or another.
///
/// In a terminal it draws a screen and takes keys; otherwise it takes a command on each line of standard input and
/// answers each in plain lines.
@main
struct Reader {
    static func main() async {
        do {
            let arguments = try ReaderArguments(Array(CommandLine.arguments.dropFirst()))
            try await run(arguments)
        } catch let problem as ArgumentProblem {
            stop("reader: \(problem.description)\n\n\(ReaderArguments.usage)", 64)
        } catch let problems as ConfigurationProblems {
            stop("reader: " + problems.all.map { "\($0.key) \($0.message)" }.joined(separator: "\nreader: "), 64)
        } catch {
            stop("reader: \(error)", 1)
        }
    }

    private static func stop(_ text: String, _ status: Int32) -> Never {
        FileHandle.standardError.write(Data("\(text)\n".utf8))
        exit(status)
    }

    private static func run(_ arguments: ReaderArguments) async throws {
        let client = try TidelineClient(configuration: arguments.configuration)
        let store = try await client.positionStore(for: arguments.configurationId)
        let session = ReadingSession(client, store)
        let (inputs, continuation) = AsyncStream.makeStream(of: Input.self)
        let endings = Ending.signals { continuation.yield(.end) }
        defer { endings.forEach { $0.cancel() } }

        let terminal = Terminal()
        terminal?.readKeys { continuation.yield($0.map { .key($0) } ?? .end) }
        if terminal == nil { LineReader.start { continuation.yield($0.map { .line($0) } ?? .end) } }
        await session.follow { continuation.yield(.redraw) }

        await work(on: inputs, session, terminal)
        terminal?.restore()
        await session.end()
        try await client.stop()
    }

    /// Until the reader wants no more.
    private static func work(on inputs: AsyncStream<Input>, _ session: ReadingSession, _ terminal: Terminal?) async {
        for await input in inputs {
            switch input {
            case .end: return
            case .redraw: break
            case .key(let key):
                guard key != .quit else { return }
                await session.press(key)
            case .line(let line):
                guard let command = Command(line) else {
                    output("? \(line): \(Command.usage)")
                    continue
                }
                guard command != .quit else { return }
                for line in await session.run(command) { output(line) }
            }
            if let terminal { terminal.draw(await session.screen(terminal.size)) }
        }
    }

    /// A line of plain output, at once: a test or a pipe may wait for it.
    private static func output(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line.printable)\n".utf8))
    }
}

/// Something that the reader reacts to.
enum Input: Sendable {
    case key(Key)
    case line(String)
    /// Something on the screen has changed.
    case redraw
    case end
}

/// Signals that end the program in order: what was read is saved.
private enum Ending {
    static func signals(_ end: @escaping @Sendable () -> Void) -> [any DispatchSourceSignal] {
        [SIGTERM, SIGINT, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler(handler: end)
            source.resume()
            return source
        }
    }
}

/// Reads standard input on a thread of its own, because reading blocks.
private enum LineReader {
    static func start(_ each: @escaping @Sendable (String?) -> Void) {
        Thread {
            while let line = readLine() {
                let line = line.trimmingCharacters(in: .whitespaces)
                if !line.isEmpty { each(line) }
            }
            each(nil)
        }
        .start()
    }
}
