#!/usr/bin/env python3
"""A dead man's switch: all orders are cancelled when this program is silent for 30 seconds.

    pip install cryptography        (or apt-get install python3-cryptography)
    SERVICE_ACCOUNT_ID=0x… SERVICE_TRADING_KEY=… python3 config/samples/standby.py [http://127.0.0.1:8080]

`prepd --mode admin account create` prints both. The key stays here: only signed cancels are deposited.
"""
import base64
import json
import os
import sys
import time
import urllib.error
import urllib.request

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519

BASE = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080"
ACCOUNT_ID = os.environ["SERVICE_ACCOUNT_ID"]
AFTER_MS = 30_000
RENEW_SECONDS = 10
# Signed so far apart, three cancels reach 13 minutes ahead, should this program be away for longer than it thinks.
APART_MS = 250_000
ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def base58(data):
    value, text = int.from_bytes(data, "big"), ""
    while value > 0:
        value, digit = divmod(value, 58)
        text = ALPHABET[digit] + text
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + text


secret = ed25519.Ed25519PrivateKey.from_private_bytes(
    bytes.fromhex(os.environ["SERVICE_TRADING_KEY"].removeprefix("0x"))
)
raw = serialization.Encoding.Raw, serialization.PublicFormat.Raw
KEY = "ed25519:" + base58(secret.public_key().public_bytes(*raw))


def now_ms():
    return int(time.time() * 1000)


def signed(method, path, timestamp_ms):
    timestamp = str(timestamp_ms)
    signature = base64.urlsafe_b64encode(secret.sign((timestamp + method + path).encode()))
    auth = {
        "accountId": ACCOUNT_ID,
        "key": KEY,
        "signature": signature.decode().rstrip("="),
        "timestamp": timestamp,
    }
    return {"method": method, "path": path, "auth": auth}


def post(path, body):
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(BASE + path, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request) as response:
        return json.load(response)


def renew():
    begins_ms = now_ms()
    envelopes = [signed("DELETE", "/v1/orders", begins_ms + at * APART_MS) for at in range(3)]
    answer = post("/api/prep/standby", {"envelopes": envelopes, "afterMs": AFTER_MS})
    until = time.strftime("%H:%M:%S", time.localtime(answer["sendsAtMs"] / 1000))
    print(f"{answer['state']} until {until}", flush=True)


# The venue has to have accepted the key once.
post("/api/prep/relay", signed("GET", "/v1/client/info", now_ms()))
try:
    while True:
        try:
            renew()
        except urllib.error.URLError as error:
            print(error, file=sys.stderr)
        time.sleep(RENEW_SECONDS)
except KeyboardInterrupt:
    print(post("/api/prep/relay", signed("DELETE", "/api/prep/standby", now_ms()))["state"])
