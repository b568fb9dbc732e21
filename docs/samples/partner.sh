# A partner with a whitelabel application creates a customer. It needs API, ID, SECRET, and PASSPORT, the path of a PDF.
set -euo pipefail
TOKEN=$(curl -fsS "$API/auth/token" -d grant_type=client_credentials -d "client_id=$ID" -d "client_secret=$SECRET" |
  node -p 'JSON.parse(require("fs").readFileSync(0)).access_token')

# #region create
PROFILE=$(node -p 'crypto.randomUUID()')
curl -fsS "$API/profiles" -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' -d "{\"id\":\"$PROFILE\",\"kind\":\"personal\"}"
# #endregion

# #region upload
curl -fsS "$API/files" -H "authorization: Bearer $TOKEN" -F "file=@$PASSPORT"
# #endregion

# #region state
curl -fsS "$API/profiles/$PROFILE" -H "authorization: Bearer $TOKEN"
# #endregion
