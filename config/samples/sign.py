#!/usr/bin/env python3
"""From nothing to an order with one package: register, bind, order, cancel, read.

    pip install cryptography        (or apt-get install python3-cryptography)
    python3 config/samples/sign.py [http://127.0.0.1:8080]
"""
import base64
import json
import sys
import time
import urllib.error
import urllib.request

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519

BASE = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080"
CHAIN_ID = 42161
DAY_MS = 86_400_000


def now_ms():
    return int(time.time() * 1000)


def call(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(BASE + path, data, {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        answer = error.read().decode()
        seconds = json.loads(answer).get("meta", {}).get("retryAfterSeconds") if error.code == 429 else None
        if seconds is None:
            sys.exit(f"{path}: {answer}")
        # Nothing was done: the answer says when to come again.
        time.sleep(seconds)
        return call(path, body)


# --- The wallet: secp256k1. A real one answers eth_signTypedData_v4 with the same 65 bytes.

N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
MASK = (1 << 64) - 1


def rotated(lane, by):
    return ((lane << by) | (lane >> (64 - by))) & MASK


def keccak256(data):
    """Keccak-256 of at most 135 bytes: the hash of Ethereum, which is not SHA3-256."""
    block = bytearray(200)
    block[: len(data)] = data
    block[len(data)] ^= 0x01
    block[135] ^= 0x80
    a = [int.from_bytes(block[8 * at : 8 * at + 8], "little") for at in range(25)]
    bits = 1
    for _ in range(24):
        c = [a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20] for x in range(5)]
        a = [lane ^ c[(at + 4) % 5] ^ rotated(c[(at + 1) % 5], 1) for at, lane in enumerate(a)]
        x, y, carried = 1, 0, a[1]
        for t in range(24):
            x, y = y, (2 * x + 3 * y) % 5
            lane = a[x + 5 * y]
            a[x + 5 * y] = rotated(carried, (t + 1) * (t + 2) // 2 % 64)
            carried = lane
        for y in range(0, 25, 5):
            row = a[y : y + 5]
            for x in range(5):
                a[y + x] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5] & MASK)
        for j in range(7):
            bits = ((bits << 1) ^ ((bits >> 7) * 0x71)) % 256
            if bits & 2:
                a[0] ^= 1 << ((1 << j) - 1)
    return b"".join(lane.to_bytes(8, "little") for lane in a[:4])


def new_pair():
    """A secret, and the two coordinates of its point."""
    key = ec.generate_private_key(ec.SECP256K1())
    point = key.public_key().public_numbers()
    return key.private_numbers().private_value, point.x, point.y


def sign_digest(secret, digest):
    """r, s and v over a 32-byte digest. The one-time key of ECDSA is a fresh pair of the same curve; s is low (EIP-2)."""
    once, x, y = new_pair()
    r = x % N
    s = pow(once, -1, N) * (int.from_bytes(digest, "big") + r * secret) % N
    odd = y & 1
    if s > N // 2:
        s, odd = N - s, 1 - odd
    return f"0x{r:064x}{s:064x}{27 + odd:02x}"


def signed_by_wallet(secret, address, asked):
    """Asks what the wallet is to sign, and makes the body that goes back."""
    answer = call("/api/prep/typed-data", {"chainId": CHAIN_ID, **asked})
    signature = sign_digest(secret, bytes.fromhex(answer["digest"][2:]))
    return {"message": {**answer["message"], "brokerId": "any"}, "signature": signature, "address": address}


# --- The trading key: Ed25519. It signs timestamp + METHOD + path + body.

ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def base58(data):
    value, text = int.from_bytes(data, "big"), ""
    while value:
        value, rest = divmod(value, 58)
        text = ALPHABET[rest] + text
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + text


key = ed25519.Ed25519PrivateKey.generate()
raw = key.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
trading_key = "ed25519:" + base58(raw)


def relay(account_id, method, path, body=""):
    timestamp = str(now_ms())
    signature = key.sign((timestamp + method + path + body).encode())
    auth = {
        "accountId": account_id,
        "key": trading_key,
        "signature": base64.urlsafe_b64encode(signature).decode().rstrip("="),
        "timestamp": timestamp,
    }
    envelope = {"method": method, "path": path, "auth": auth}
    return call("/api/prep/relay", {**envelope, "body": body} if body else envelope)


wallet, x, y = new_pair()
address = "0x" + keccak256(x.to_bytes(32, "big") + y.to_bytes(32, "big"))[12:].hex()
account_id = call("/api/prep/register", signed_by_wallet(wallet, address, {"kind": "register"}))["accountId"]
print("registered", account_id)

binding = {"kind": "trading-key", "tradingKey": trading_key, "scope": "read,trading", "expiration": now_ms() + DAY_MS}
call("/api/prep/trading-key", signed_by_wallet(wallet, address, binding))
print("bound", trading_key)

bid = call("/api/prep/orderbook?symbol=PERP_ETH_USDC")["bids"][0]["price"]
order = {
    "symbol": "PERP_ETH_USDC",
    "order_type": "LIMIT",
    "side": "BUY",
    "order_price": int(float(bid) * 0.95),
    "order_quantity": 0.1,
}
order_id = relay(account_id, "POST", "/v1/order", json.dumps(order))["order_id"]
print("ordered", order_id)
relay(account_id, "DELETE", f"/v1/order?order_id={order_id}&symbol=PERP_ETH_USDC")
print("cancelled", order_id)
first = relay(account_id, "GET", "/v1/client/holding")["holding"][0]
print("holds", first["holding"], first["token"])
