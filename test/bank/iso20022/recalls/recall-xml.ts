export interface RecallSpec {
  version?: string;
  caseId?: string;
  cancellationId?: string;
  endToEndId?: string;
  transactionId?: string;
  uetr?: string;
  amount?: string;
  currency?: string;
  settledOn?: string;
  reason?: string;
  payerIban?: string;
}

/** A camt.056 file as a bank writes it: of version 01 or of a newer one. */
export function recallXml(...specs: RecallSpec[]): string {
  const { version = '08' } = specs[0] ?? {};
  const agent = (bic: string) =>
    `<Agt><FinInstnId><${version === '01' ? 'BIC' : 'BICFI'}>${bic}</${version === '01' ? 'BIC' : 'BICFI'}></FinInstnId></Agt>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.056.001.${version}">
  <FIToFIPmtCxlReq>
    <Assgnmt><Id>ASG-1</Id><Assgnr>${agent('PAYRDEFF')}</Assgnr><Assgne>${agent('MNTRIS22')}</Assgne><CreDtTm>2026-05-06T10:00:00</CreDtTm></Assgnmt>
    <CtrlData><NbOfTxs>${specs.length}</NbOfTxs></CtrlData>
    <Undrlyg>
      ${specs.map((spec) => transactionXml({ version, ...spec }, agent)).join('\n      ')}
    </Undrlyg>
  </FIToFIPmtCxlReq>
</Document>
`;
}

/** A camt.056 file about a whole message, which lists no payment; `said` is what else its bank writes of the message. */
export function messageRecallXml(said: string): string {
  const group =
    '<Case><Id>CASE-1</Id><Cretr><Agt><FinInstnId><BICFI>PAYRDEFF</BICFI></FinInstnId></Agt></Cretr></Case>' +
    `<OrgnlMsgId>MSG-7</OrgnlMsgId><OrgnlMsgNmId>pacs.008.001.08</OrgnlMsgNmId>${said}<CxlRsnInf><Rsn><Cd>DUPL</Cd></Rsn></CxlRsnInf>`;
  return recallXml({}).replace(/<Undrlyg>[\s\S]*<\/Undrlyg>/, `<Undrlyg><OrgnlGrpInfAndCxl>${group}</OrgnlGrpInfAndCxl></Undrlyg>`);
}

function transactionXml(spec: RecallSpec, agent: (bic: string) => string): string {
  const {
    version,
    caseId = 'CASE-1',
    cancellationId = 'CXL-1',
    endToEndId = 'NOTPROVIDED',
    amount = '9.00',
    currency = 'EUR',
    reason = 'DUPL',
  } = spec;
  const name = version === '01' ? '<Nm>Jón Jónsson</Nm>' : '<Pty><Nm>Jón Jónsson</Nm></Pty>';
  return `<TxInf>
        <CxlId>${cancellationId}</CxlId><Case><Id>${caseId}</Id><Cretr>${agent('PAYRDEFF')}</Cretr></Case>
        <OrgnlGrpInf><OrgnlMsgId>MSG-7</OrgnlMsgId><OrgnlMsgNmId>pacs.008.001.08</OrgnlMsgNmId></OrgnlGrpInf>
        <OrgnlEndToEndId>${endToEndId}</OrgnlEndToEndId>${tag('OrgnlTxId', spec.transactionId)}${tag('OrgnlUETR', spec.uetr)}
        <OrgnlIntrBkSttlmAmt Ccy="${currency}">${amount}</OrgnlIntrBkSttlmAmt><OrgnlIntrBkSttlmDt>${spec.settledOn ?? '2026-11-19'}</OrgnlIntrBkSttlmDt>
        <CxlRsnInf><Rsn><Cd>${reason}</Cd></Rsn><AddtlInf>sent twice</AddtlInf></CxlRsnInf>
        <OrgnlTxRef><Dbtr>${name}</Dbtr>${spec.payerIban === undefined ? '' : `<DbtrAcct><Id><IBAN>${spec.payerIban}</IBAN></Id></DbtrAcct>`}</OrgnlTxRef>
      </TxInf>`;
}

function tag(name: string, text: string | undefined): string {
  return text === undefined ? '' : `<${name}>${text}</${name}>`;
}
