"""Takes what `tideline sink --reloads http://HOST:8080/reloads` posts, and shows each reload as it comes.

Needs Python alone. WEBHOOK_SECRET is the sink's setting webhook.secret. Made to be copied: put your work into `show`.
"""
import base64, collections, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["WEBHOOK_SECRET"]
KEY = base64.b64decode(SECRET[6:]) if SECRET.startswith("whsec_") else SECRET.encode()
seen = collections.deque(maxlen=10_000)  # A reload may come twice, always with the same webhook-id.

def is_signed(headers, body):
    """Standard Webhooks 1.0: the sender knows the secret, and sent this within the last five minutes."""
    identifier, sent = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not sent.isdecimal() or abs(time.time() - int(sent)) > 300:
        return False
    code = b"v1," + base64.b64encode(hmac.digest(KEY, f"{identifier}.{sent}.".encode() + body, "sha256"))
    signatures = headers.get("webhook-signature", "").encode().split()  # Two while the secret is being changed.
    return any(hmac.compare_digest(code, signature) for signature in signatures)

def show(reload):
    names, left = ", ".join(reload["configurationIds"]), reload["budget"]["remaining"]
    print(f"{reload['issuedAt']}  {reload['recipient']}: reload {reload['kind']} ({names}), {reload['reason']},",
          f"{left} left", flush=True)

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if not is_signed(self.headers, body):
            return self.send_error(401, "the signature is wrong")
        if self.headers["webhook-id"] not in seen:
            show(json.loads(body))
            seen.append(self.headers["webhook-id"])
        self.send_response(204)
        self.end_headers()

    def log_request(self, *_): pass  # `show` says enough.

server = ThreadingHTTPServer(("", int(os.environ.get("PORT", "8080"))), Receiver)
print(f"listening on port {server.server_port}", flush=True)
server.serve_forever()
