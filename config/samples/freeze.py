#!/usr/bin/env python3
"""A stop: from now on the account may only cancel and reduce, until its wallet lifts that.

    pip install cryptography        (or apt-get install python3-cryptography)
    SERVICE_ACCOUNT_ID=0x… SERVICE_TRADING_KEY=… python3 config/samples/freeze.py [http://127.0.0.1:8080]

`prepd --mode admin account create` prints both. The wallet has to have signed a mandate: POST /api/prep/mandate.
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


def signed(method, path, body=""):
    timestamp = str(int(time.time() * 1000))
    signature = base64.urlsafe_b64encode(secret.sign((timestamp + method + path + body).encode()))
    auth = {
        "accountId": ACCOUNT_ID,
        "key": KEY,
        "signature": signature.decode().rstrip("="),
        "timestamp": timestamp,
    }
    return {"method": method, "path": path, "body": body or None, "auth": auth}


def relay(envelope):
    headers = {"content-type": "application/json"}
    url = BASE + "/api/prep/relay"
    request = urllib.request.Request(url, json.dumps(envelope).encode(), headers)
    try:
        with urllib.request.urlopen(request) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        sys.exit(error.read().decode())


# The venue has to have accepted the key once.
relay(signed("GET", "/v1/client/info"))
limits = relay(signed("GET", "/api/prep/mandate"))["limits"]
print("limits", json.dumps(limits, separators=(",", ":")))
print("frozen by", relay(signed("PUT", "/api/prep/mandate", '{"frozen":true}'))["frozenBy"])
