package import StreamCore
import Synchronization

/// Knows every node that was made, weakly: what is alive of tasks that are gone is memory that is kept.
package final class MemoryWatch: Sendable {
    private let nodes = Mutex<[WeakReference]>([])

    /// Only asked whether its object is still there, never for the object.
    private struct WeakReference: @unchecked Sendable {
        weak var object: AnyObject?
    }

    package init() {}

    /// The same topology, whose nodes are noted when they are made. A node is known by its first store.
    package func watching(_ topology: Topology) -> Topology {
        var topology = topology
        for index in topology.nodes.indices {
            let make = topology.nodes[index].make
            topology.nodes[index].make = { [self] in
                let node = make()
                if let store = node.stores.first {
                    let reference = WeakReference(object: store)
                    nodes.withLock { $0.append(reference) }
                }
                return node
            }
        }
        return topology
    }

    /// The nodes that are alive and have a store.
    package var alive: Int {
        nodes.withLock { nodes in
            nodes.removeAll { $0.object == nil }
            return nodes.count
        }
    }

}
