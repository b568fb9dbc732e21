# A treasury with a private application. It needs API, ID, SECRET, ADDRESS, and SIGN, a command that prints
# the signature of its argument by the wallet of ADDRESS, such as SIGN='cast wallet sign --interactive' of Foundry.
set -euo pipefail

# #region token
TOKEN=$(curl -fsS "$API/auth/token" -d grant_type=client_credentials -d "client_id=$ID" -d "client_secret=$SECRET" |
  node -p 'JSON.parse(require("fs").readFileSync(0)).access_token')
call() { curl -fsS "$API$1" -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' "${@:2}"; }
# #endregion

# #region link
PROFILE=$(call /auth/context | node -p 'JSON.parse(require("fs").readFileSync(0)).defaultProfile')
MESSAGE=$(printf '%s\n' 'I hereby declare that I am the address owner.' '' "Service: ${API#*://}" "Profile: $PROFILE" "Address: $ADDRESS" \
  'Chain: chiado' "Nonce: $(openssl rand -hex 16)" "Issued At: $(date -u +%Y-%m-%dT%H:%M:%SZ)")
PROOF=$($SIGN "$MESSAGE")
call /addresses -d "{\"address\":\"$ADDRESS\",\"chain\":\"chiado\",\"message\":\"${MESSAGE//$'\n'/\\n}\",\"signature\":\"$PROOF\"}"
# #endregion

# #region iban
# A profile has one IBAN, so this needs no idempotency key: repeated, it is answered with 304.
call /ibans -d "{\"address\":\"$ADDRESS\",\"chain\":\"chiado\"}"
until IBAN=$(call /ibans | node -p 'JSON.parse(require("fs").readFileSync(0)).ibans[0].iban' 2>/dev/null); do sleep 1; done
# #endregion

# #region credit
# The IBAN may lead to another address of the profile: the remittance names the address.
call /sandbox/credits -d "{\"iban\":\"$IBAN\",\"amount\":\"25.00\",\"currency\":\"eur\",\"remittance\":\"chiado:$ADDRESS\",
  \"payer\":{\"name\":\"Jón Jónsson\",\"iban\":\"IS140159260076545510730339\"}}"
until call "/balances/chiado/$ADDRESS" | grep -qE '"amount":"[1-9]'; do sleep 1; done
# #endregion

# #region pay
# Keep the request beside your own record before you send it: the same id with the same body is the same order, however often it is sent.
ORDER=$(node -p 'crypto.randomUUID()')
PAYMENT="Send EUR 10.50 to DE89370400440532013000 at $(date -u +%Y-%m-%dT%H:%M:%SZ)"
call /orders -d "{\"id\":\"$ORDER\",\"kind\":\"redeem\",\"address\":\"$ADDRESS\",\"chain\":\"chiado\",\"currency\":\"eur\",\"amount\":\"10.50\",
  \"counterpart\":{\"identifier\":{\"standard\":\"iban\",\"iban\":\"DE89370400440532013000\"},
    \"details\":{\"name\":\"Max Mustermann\",\"country\":\"DE\"}},
  \"memo\":\"Invoice 2026-118\",\"message\":\"$PAYMENT\",\"signature\":\"$($SIGN "$PAYMENT")\"}"
# #endregion

# #region read
call "/orders?state=placed&limit=10"
call "/balances/chiado/$ADDRESS"
# #endregion
