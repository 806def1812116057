#!/usr/bin/env bash
# From nothing to an order with openssl 3 and curl: register, bind, order, cancel, read.
#   bash config/samples/sign.sh [http://127.0.0.1:8080]
set -euo pipefail
shopt -s inherit_errexit
base=${1:-http://127.0.0.1:8080}
chain=42161
umask 077
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints the answer; an answer that is a failure ends the script, unless it is the one given as third. Where there were
# too many requests nothing was done, and the answer says when to come again.
call() { # PATH [BODY] [TOLERATED]
  local answer seconds
  answer=$(curl -sS "$base$1" ${2:+-H 'content-type: application/json' --data-binary "$2"})
  seconds=$(sed -n 's/.*"retryAfterSeconds":\([0-9]*\).*/\1/p' <<<"$answer")
  if [[ $answer == *'"code":"rate_limited"'* && $seconds ]]; then
    sleep "$seconds"
    call "$@"
    return
  fi
  if [[ $answer == *'"code":'* && $answer != *"\"code\":\"${3:-none}\""* ]]; then
    echo "$1: $answer" >&2
    exit 1
  fi
  printf '%s' "$answer"
}

text() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" <<<"$2"; }
hex() { od -An -v -tx1 "$@" | tr -d ' \n'; }
bytes() { printf '%b' "$(sed 's/../\\x&/g' <<<"$1")"; }

# --- The wallet: secp256k1. A real one answers eth_signTypedData_v4 with the same 65 bytes.

rotated() { r=$(( $2 == 0 ? $1 : ($1 << $2) | (($1 >> (64 - $2)) & ((1 << $2) - 1)) )); }

# Keccak-256 of 64 bytes in hex: the hash of Ethereum, which is not SHA3-256.
keccak256() {
  local -a a c row
  local at x y t z lane carried round j bits=1 out=''
  for at in {0..24}; do a[at]=0; done
  for at in {0..7}; do
    lane=''
    for j in 7 6 5 4 3 2 1 0; do lane+=${1:16*at+2*j:2}; done
    a[at]=$((16#$lane))
  done
  a[8]=1
  a[16]=$((1 << 63))
  for round in {1..24}; do
    for x in 0 1 2 3 4; do c[x]=$((a[x] ^ a[x+5] ^ a[x+10] ^ a[x+15] ^ a[x+20])); done
    for at in {0..24}; do
      rotated "${c[(at + 1) % 5]}" 1
      a[at]=$((a[at] ^ c[(at + 4) % 5] ^ r))
    done
    x=1 y=0 carried=${a[1]}
    for t in {0..23}; do
      z=$(((2 * x + 3 * y) % 5)) x=$y y=$z
      lane=${a[x+5*y]}
      rotated "$carried" $(((t + 1) * (t + 2) / 2 % 64))
      a[x+5*y]=$r
      carried=$lane
    done
    for y in 0 5 10 15 20; do
      row=("${a[@]:y:5}")
      for x in 0 1 2 3 4; do a[y+x]=$((row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5]))); done
    done
    for j in {0..6}; do
      bits=$((((bits << 1) ^ ((bits >> 7) * 0x71)) % 256))
      if ((bits & 2)); then a[0]=$((a[0] ^ (1 << ((1 << j) - 1)))); fi
    done
  done
  for at in 0 1 2 3; do
    for j in {0..7}; do out+=$(printf '%02x' $(((a[at] >> (8 * j)) & 255))); done
  done
  printf '%s' "$out"
}

openssl ecparam -name secp256k1 -genkey -noout -out "$work/wallet.pem"
point=$(openssl ec -in "$work/wallet.pem" -pubout -outform DER 2>/dev/null | tail -c 64 | hex)
address=0x$(keccak256 "$point" | tail -c 40)

# r and s of a digest. Half of all signatures have the high s that wallets do not make (EIP-2): another is made then.
signed_digest() {
  local r s half=7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0
  bytes "${1#0x}" >"$work/digest"
  while :; do
    openssl pkeyutl -sign -inkey "$work/wallet.pem" -in "$work/digest" -out "$work/der"
    read -r r s < <(openssl asn1parse -inform DER -in "$work/der" | sed -n 's/.*INTEGER *://p' | xargs)
    r=$(printf '%64s' "$r" | tr ' A-F' '0a-f') s=$(printf '%64s' "$s" | tr ' A-F' '0a-f')
    if [[ ! $s > $half ]]; then break; fi
  done
  printf '0x%s%s' "$r" "$s"
}

# Asks what the wallet is to sign, and sends it back. openssl does not say which of two points r is: both are tried.
send_signed() { # PATH ASKED
  local asked message signature v answer
  asked=$(call /api/prep/typed-data "$2")
  message=$(grep -o '"message":{[^}]*}' <<<"$asked")
  signature=$(signed_digest "$(text digest "$asked")")
  for v in 1b 1c; do
    answer=$(call "$1" "{${message%\}},\"brokerId\":\"any\"},\"signature\":\"$signature$v\",\"address\":\"$address\"}" invalid_signature)
    if [[ $answer != *'"code":'* ]]; then printf '%s' "$answer"; return; fi
  done
  echo "$1: $answer" >&2
  exit 1
}

# --- The trading key: Ed25519. It signs timestamp + METHOD + path + body.

base58() { # 32 bytes in hex
  local alphabet=123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz
  local -a left=()
  local at rest out='' any=1
  for ((at = 0; at < ${#1}; at += 2)); do left+=($((16#${1:at:2}))); done
  while ((any)); do
    rest=0 any=0
    for at in "${!left[@]}"; do
      rest=$((rest * 256 + left[at]))
      left[at]=$((rest / 58)) rest=$((rest % 58))
      if ((left[at])); then any=1; fi
    done
    out=${alphabet:rest:1}$out
  done
  for ((at = 0; at < ${#1}; at += 2)); do
    if [[ ${1:at:2} != 00 ]]; then break; fi
    out=1$out
  done
  printf '%s' "$out"
}

openssl genpkey -algorithm ed25519 -out "$work/key.pem"
key=ed25519:$(base58 "$(openssl pkey -in "$work/key.pem" -pubout -outform DER | tail -c 32 | hex)")

relay() { # METHOD PATH [BODY]
  local timestamp signature body=${3:-}
  timestamp=$(date +%s%3N)
  printf '%s' "$timestamp$1$2$body" >"$work/text"
  signature=$(openssl pkeyutl -sign -rawin -inkey "$work/key.pem" -in "$work/text" | openssl base64 -A | tr '+/' '-_' | tr -d '=')
  call /api/prep/relay "{\"method\":\"$1\",\"path\":\"$2\"${body:+,\"body\":\"${body//\"/\\\"}\"},\"auth\":{\"accountId\":\"$account\",\"key\":\"$key\",\"signature\":\"$signature\",\"timestamp\":\"$timestamp\"}}"
}

registered=$(send_signed /api/prep/register "{\"kind\":\"register\",\"chainId\":$chain}")
account=$(text accountId "$registered")
echo "registered $account"

expiration=$(($(date +%s%3N) + 86400000))
send_signed /api/prep/trading-key "{\"kind\":\"trading-key\",\"chainId\":$chain,\"tradingKey\":\"$key\",\"scope\":\"read,trading\",\"expiration\":$expiration}" >/dev/null
echo "bound $key"

book=$(call '/api/prep/orderbook?symbol=PERP_ETH_USDC')
bid=$(sed -n 's/.*"bids":\[{"price":"\{0,1\}\([0-9]*\).*/\1/p' <<<"$book")
order="{\"symbol\":\"PERP_ETH_USDC\",\"order_type\":\"LIMIT\",\"side\":\"BUY\",\"order_price\":$((bid * 95 / 100)),\"order_quantity\":0.1}"
id=$(relay POST /v1/order "$order" | grep -o '"order_id":[0-9]*' | grep -o '[0-9]*$')
echo "ordered $id"
relay DELETE "/v1/order?order_id=$id&symbol=PERP_ETH_USDC" >/dev/null
echo "cancelled $id"
held=$(relay GET /v1/client/holding)
echo "holds $(grep -o '"holding":[0-9.]\+' <<<"$held" | head -1 | cut -d: -f2) $(text token "$held")"
