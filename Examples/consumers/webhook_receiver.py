"""Takes what `tideline sink` sends, and shows it: reloads (--reloads http://HOST:8080/reloads), and timelines, one at a
time or in batches (--to http://HOST:8080/timelines).

Needs Python alone. WEBHOOK_SECRET is the sink's setting webhook.secret. Made to be copied: put your work into `show`.
"""
import base64, collections, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

SECRET = os.environ["WEBHOOK_SECRET"]
KEY = base64.b64decode(SECRET[6:]) if SECRET.startswith("whsec_") else SECRET.encode()
seen = collections.deque(maxlen=10_000)  # Anything may come twice, always with the same webhook-id.

def is_signed(headers, body):
    """Standard Webhooks 1.0: the sender knows the secret, and sent this within the last five minutes."""
    identifier, sent = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not sent.isdecimal() or abs(time.time() - int(sent)) > 300:
        return False
    code = b"v1," + base64.b64encode(hmac.digest(KEY, f"{identifier}.{sent}.".encode() + body, "sha256"))
    signatures = headers.get("webhook-signature", "").encode().split()  # Two while the secret is being changed.
    return any(hmac.compare_digest(code, signature) for signature in signatures)

def messages(headers, body):
    """What a request tells: for each the id that stays the same, its type, its subject, and its JSON."""
    if headers.get("content-type") == "application/x-ndjson":
        for event in map(json.loads, body.splitlines()):
            yield event["webhookid"], event["type"], event["subject"], event.get("data")
    else:
        kind, subject = headers.get("ce-type", ""), unquote(headers.get("ce-subject", ""))
        yield headers["webhook-id"], kind, subject, json.loads(body) if body else None

def show(kind, subject, data):
    if data and "configurationIds" in data:
        names, left = ", ".join(data["configurationIds"]), data["budget"]["remaining"]
        print(f"{data['issuedAt']}  {data['recipient']}: reload {data['kind']} ({names}), {data['reason']},",
              f"{left} left", flush=True)
    elif ".deleted." in kind:
        print(f"{subject}: gone", flush=True)
    else:
        print(f"{subject}: revision {data['revision']} of {data['generatedAt']} for {data['recipient']},",
              f"{len(data['entries'])} entries", flush=True)

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if not is_signed(self.headers, body):
            return self.send_error(401, "the signature is wrong")
        for identifier, kind, subject, data in messages(self.headers, body):
            if identifier not in seen:
                show(kind, subject, data)
                seen.append(identifier)
        self.send_response(204)
        self.end_headers()

    do_PUT = do_DELETE = do_POST  # Where the address of a sink of timelines has {configurationId}.

    def log_request(self, *_): pass  # `show` says enough.

server = ThreadingHTTPServer(("", int(os.environ.get("PORT", "8080"))), Receiver)
print(f"listening on port {server.server_port}", flush=True)
server.serve_forever()
