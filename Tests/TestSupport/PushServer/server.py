"""Stands in for Apple's push service and for a webhook's receiver: HTTP/2 over TLS by h2, on loopback.

    server.py OPTIONS.json

The options: certificate, key (PEM files); publicKey (PEM, verifies provider tokens); secret (base64, verifies a
webhook's signatures); alpn (["h2"] or ["http/1.1"]); streams (SETTINGS_MAX_CONCURRENT_STREAMS); answers, a list of
{path, answers: [answer]}: a request whose path contains `path` takes the next of its answers, and 200 when they are
used up. An answer is {status, body, headers, delay (seconds), drop (close the connection), goaway (end the connection
after this answer), hang (never answer)}.

Writes "listening PORT", then a line of JSON for each request, with what it judges of it.
"""

import asyncio
import base64
import hashlib
import hmac
import json
import ssl
import sys
import time

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.settings
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

options = json.load(open(sys.argv[1]))
connections = 0


def unpadded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def judge_provider_token(headers):
    """The parts of the token, and whether the team's key has signed it (ES256: r and s, 32 bytes each)."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme != "bearer":
        return {"verified": False}
    head, claims, signature = token.split(".")
    raw = unpadded(signature)
    result = {"header": json.loads(unpadded(head)), "claims": json.loads(unpadded(claims)), "verified": False}
    key = serialization.load_pem_public_key(open(options["publicKey"], "rb").read())
    try:
        encoded = encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
        key.verify(encoded, f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))
        result["verified"] = len(raw) == 64
    except InvalidSignature:
        pass
    return result


def judge_webhook(headers, body):
    content = f"{headers.get('webhook-id')}.{headers.get('webhook-timestamp')}.".encode() + body
    code = hmac.new(base64.b64decode(options["secret"]), content, hashlib.sha256).digest()
    wanted = "v1," + base64.b64encode(code).decode()
    fresh = abs(time.time() - int(headers.get("webhook-timestamp", "0"))) < 300
    return {"verified": headers.get("webhook-signature") == wanted and fresh}


def next_answer(path):
    for rule in options.get("answers", []):
        if rule["path"] in path and rule["answers"]:
            return rule["answers"].pop(0)
    return {"status": 200}


def report(connection, version, alpn, open_streams, path, headers, body):
    line = {
        "connection": connection, "http": version, "alpn": alpn, "open": open_streams, "path": path,
        "headers": headers, "body": body.decode(),
    }
    if options.get("publicKey") and "authorization" in headers:
        line["token"] = judge_provider_token(headers)
    if options.get("secret") and "webhook-id" in headers:
        line["webhook"] = judge_webhook(headers, body)
    print(json.dumps(line), flush=True)


class HTTP2Connection:
    def __init__(self, number, reader, writer, alpn):
        self.number, self.reader, self.writer, self.alpn = number, reader, writer, alpn
        self.requests = {}
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        streams = {h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: options.get("streams", 100)}
        self.h2.local_settings = h2.settings.Settings(client=False, initial_values=streams)

    async def serve(self):
        self.h2.initiate_connection()
        self.flush()
        while data := await self.reader.read(65536):
            for event in self.h2.receive_data(data):
                self.take(event)
            self.flush()

    def take(self, event):
        if isinstance(event, h2.events.RequestReceived):
            self.requests[event.stream_id] = (dict(event.headers), bytearray())
        elif isinstance(event, h2.events.DataReceived):
            self.requests[event.stream_id][1].extend(event.data)
            self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        elif isinstance(event, h2.events.StreamEnded):
            headers, body = self.requests[event.stream_id]
            path = headers[":path"]
            plain = {name: value for name, value in headers.items() if not name.startswith(":")}
            report(self.number, 2, self.alpn, len(self.requests), path, plain, bytes(body))
            asyncio.get_running_loop().create_task(self.answer(event.stream_id, next_answer(path)))
        elif isinstance(event, h2.events.StreamReset):
            self.requests.pop(event.stream_id, None)

    async def answer(self, stream, answer):
        if answer.get("hang"):
            return
        await asyncio.sleep(answer.get("delay", 0))
        if answer.get("drop"):
            self.writer.transport.abort()
            return
        if self.requests.pop(stream, None) is None:
            return
        headers = [(":status", str(answer["status"]))] + sorted(answer.get("headers", {}).items())
        body = answer.get("body", "")
        self.h2.send_headers(stream, headers, end_stream=not body)
        if body:
            self.h2.send_data(stream, body.encode(), end_stream=True)
        if answer.get("goaway"):
            self.h2.close_connection()
        self.flush()
        if answer.get("goaway"):
            self.writer.close()

    def flush(self):
        self.writer.write(self.h2.data_to_send())


async def serve_http1(number, reader, writer, alpn):
    while head := await reader.readuntil(b"\r\n\r\n"):
        first, *lines = head.decode().split("\r\n")[:-2]
        headers = {line.partition(":")[0].lower(): line.partition(":")[2].strip() for line in lines}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        path = first.split(" ")[1]
        report(number, 1, alpn, 1, path, headers, body)
        answer = next_answer(path)
        text = answer.get("body", "")
        more = "".join(f"{name}: {value}\r\n" for name, value in sorted(answer.get("headers", {}).items()))
        writer.write(f"HTTP/1.1 {answer['status']} x\r\ncontent-length: {len(text)}\r\n{more}\r\n{text}".encode())


async def serve(reader, writer):
    global connections
    connections += 1
    secured = writer.get_extra_info("ssl_object")
    alpn = secured.selected_alpn_protocol() if secured else None
    try:
        if alpn == "h2":
            await HTTP2Connection(connections, reader, writer, alpn).serve()
        else:
            await serve_http1(connections, reader, writer, alpn)
    except (ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
        pass
    finally:
        writer.close()


async def main():
    context = None
    if "certificate" in options:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(options["certificate"], options["key"])
        context.set_alpn_protocols(options.get("alpn", ["h2", "http/1.1"]))
    server = await asyncio.start_server(serve, "127.0.0.1", options.get("port", 0), ssl=context)
    print(f"listening {server.sockets[0].getsockname()[1]}", flush=True)
    async with server:
        await server.serve_forever()


asyncio.run(main())
