# A treasury with a private application. It needs API, ID, SECRET, and ADDRESS with the signature PROOF of the link message.
set -euo pipefail

# #region token
TOKEN=$(curl -fsS "$API/auth/token" -d grant_type=client_credentials -d "client_id=$ID" -d "client_secret=$SECRET" |
  node -p 'JSON.parse(require("fs").readFileSync(0)).access_token')
call() { curl -fsS "$API$1" -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' "${@:2}"; }
# #endregion

# #region link
call /addresses -d "{\"address\":\"$ADDRESS\",\"chain\":\"chiado\",\"signature\":\"$PROOF\"}"
# #endregion

# #region iban
call /ibans -H "idempotency-key: iban-of-$ADDRESS" -d "{\"address\":\"$ADDRESS\",\"chain\":\"chiado\"}"
until IBAN=$(call /ibans | node -p 'JSON.parse(require("fs").readFileSync(0)).ibans[0].iban' 2>/dev/null); do sleep 1; done
# #endregion

# #region credit
call /sandbox/credits -d "{\"iban\":\"$IBAN\",\"amount\":\"25.00\",\"currency\":\"eur\",
  \"payer\":{\"name\":\"Jón Jónsson\",\"iban\":\"IS140159260076545510730339\"}}"
# #endregion

# #region read
call "/orders?state=placed&limit=10"
call "/balances/chiado/$ADDRESS"
# #endregion
