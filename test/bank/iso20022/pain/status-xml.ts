export interface StatusSpec {
  status?: string;
  reason?: string;
  text?: string;
  endToEndId?: string;
  instructionId?: string;
}

export interface StatusFileSpec {
  version?: string;
  messageId?: string;
  group?: StatusSpec;
  instruction?: StatusSpec;
  payments?: StatusSpec[];
}

/** A pain.002 file as a bank writes it. */
export function statusXml({ version = '10', messageId = 'none', group = {}, instruction, payments = [] }: StatusFileSpec): string {
  const details = instruction !== undefined || payments.length > 0;
  const ofInstruction = instruction ?? {};
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.${version}">
  <CstmrPmtStsRpt>
    <GrpHdr><MsgId>BANK-1</MsgId><CreDtTm>2026-05-05T10:00:00Z</CreDtTm></GrpHdr>
    <OrgnlGrpInfAndSts>
      <OrgnlMsgId>${messageId}</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId>
      ${tag('GrpSts', group.status)}${reasonXml(group)}
    </OrgnlGrpInfAndSts>
    ${
      details
        ? `<OrgnlPmtInfAndSts><OrgnlPmtInfId>${messageId}</OrgnlPmtInfId>${tag('PmtInfSts', ofInstruction.status)}${reasonXml(ofInstruction)}
      ${payments.map(paymentXml).join('\n      ')}
    </OrgnlPmtInfAndSts>`
        : ''
    }
  </CstmrPmtStsRpt>
</Document>
`;
}

function paymentXml(spec: StatusSpec): string {
  const ids = `${tag('OrgnlInstrId', spec.instructionId)}${tag('OrgnlEndToEndId', spec.endToEndId)}`;
  return `<TxInfAndSts><StsId>1</StsId>${ids}${tag('TxSts', spec.status)}${reasonXml(spec)}</TxInfAndSts>`;
}

function reasonXml({ reason, text }: StatusSpec): string {
  if (reason === undefined && text === undefined) return '';
  return `<StsRsnInf>${reason === undefined ? '' : `<Rsn><Cd>${reason}</Cd></Rsn>`}${tag('AddtlInf', text)}</StsRsnInf>`;
}

function tag(name: string, value: string | undefined): string {
  return value === undefined ? '' : `<${name}>${value}</${name}>`;
}
