import Synchronization

/// A token whose signature and claims are right; its time may be over.
struct VerifiedToken: Sendable {
    var caller: Caller
    /// Seconds since 1970, from which on the token is refused.
    var expiry: Double
    /// Seconds since 1970, before which the token is refused.
    var notBefore: Double?

    func caller(now: Int, leeway: Int) -> Result<Caller, AuthenticationFailure> {
        if Double(now - leeway) >= expiry { return .failure(.expired) }
        if let notBefore, Double(now + leeway) < notBefore { return .failure(.notYetValid) }
        return .success(caller)
    }
}

/// The tokens that were verified not long ago, by their SHA-256: to verify one costs more than to answer its request.
///
/// Two generations bound the memory: what neither has is verified again.
final class VerifiedTokens: Sendable {
    private let generations = Mutex(Generations())
    private static let generationMax = 1024

    private struct Generations {
        var young: [[UInt8]: VerifiedToken] = [:]
        var old: [[UInt8]: VerifiedToken] = [:]

        mutating func insert(_ token: VerifiedToken, _ digest: [UInt8]) {
            if young.count >= VerifiedTokens.generationMax {
                old = young
                young = [:]
            }
            young[digest] = token
        }
    }

    func token(_ digest: [UInt8]) -> VerifiedToken? {
        generations.withLock { generations in
            if let token = generations.young[digest] { return token }
            guard let token = generations.old[digest] else { return nil }
            generations.insert(token, digest)
            return token
        }
    }

    func remember(_ token: VerifiedToken, _ digest: [UInt8]) {
        generations.withLock { $0.insert(token, digest) }
    }
}
