import { describe, expect, it } from 'vitest';
import { composeCamt029 } from '../../../../src/bank/iso20022/recalls/camt-029.ts';
import { readRecalls, type ReportedRecall } from '../../../../src/bank/iso20022/recalls/camt-056.ts';
import type { BankRecall } from '../../../../src/bank/recall.ts';
import { stream } from '../camt/reading.ts';
import { messageRecallXml, recallXml } from './recall-xml.ts';

const uetr = '3a1f0c52-7d4e-4b6a-9c8d-0e1f2a3b4c5d';
const spec = { endToEndId: 'INV-7', transactionId: 'TX-7', uetr: uetr.toUpperCase(), payerIban: 'IS140159260076545510730339' };

async function read(xml: string): Promise<ReportedRecall[]> {
  const recalls: ReportedRecall[] = [];
  for await (const recall of readRecalls(stream([xml]))) recalls.push(recall);
  return recalls;
}

const recallOf = async (xml: string) => (await read(xml))[0]?.recall as BankRecall;

/** Which recalls are of the whole message, where a file lists a payment and says this of its message. */
const ofWholeMessage = async (said: string) => {
  const group = `<OrgnlGrpInfAndCxl><OrgnlMsgId>M</OrgnlMsgId>${said}</OrgnlGrpInfAndCxl>`;
  return (await read(recallXml({}).replace('<Undrlyg>', `<Undrlyg>${group}`))).map(({ recall }) => recall.isOfWholeMessage);
};

describe('a camt.056', () => {
  it.each(['01', '08', '11'])('of version %s names the payment, the case and who asks', async (version) =>
    expect(await recallOf(recallXml({ ...spec, version }))).toEqual({
      caseId: 'CASE-1',
      cancellationId: 'CXL-1',
      assigner: { bic: 'PAYRDEFF' },
      assignee: { bic: 'MNTRIS22' },
      creator: { bic: 'PAYRDEFF' },
      payment: { messageId: 'MSG-7', messageName: 'pacs.008.001.08', endToEndId: 'INV-7', transactionId: 'TX-7', uetr },
      amount: 900n,
      currency: 'eur',
      settledOn: '2026-11-19',
      reason: 'DUPL: sent twice',
      payerName: 'Jón Jónsson',
      payerIban: spec.payerIban,
    }),
  );

  it('has the case at its head, or of each of several payments', async () => {
    const [first, second] = await read(recallXml({}, { caseId: 'CASE-2' }));
    expect([first?.recall.caseId, second?.recall.caseId]).toEqual(['CASE-1', 'CASE-2']);
    const headed = recallXml({})
      .replace(/<Case>.*<\/Case>/, '')
      .replace('<CtrlData>', '<Case><Id>HEAD</Id><Cretr><Pty><Nm>Payer</Nm></Pty></Cretr></Case><CtrlData>');
    expect(await recallOf(headed)).toMatchObject({ caseId: 'HEAD', creator: { name: 'Payer' } });
  });

  it.each(['<GrpCxl>true</GrpCxl>', '<NbOfTxs>3</NbOfTxs>', '<GrpCxl>false</GrpCxl>'])(
    'recalls a whole message where it lists no payment, with %s',
    async (said) => {
      expect(await read(messageRecallXml(said))).toEqual([
        {
          line: 6,
          recall: {
            caseId: 'CASE-1',
            assigner: { bic: 'PAYRDEFF' },
            assignee: { bic: 'MNTRIS22' },
            creator: { bic: 'PAYRDEFF' },
            payment: { messageId: 'MSG-7', messageName: 'pacs.008.001.08' },
            isOfWholeMessage: true,
            reason: 'DUPL',
          },
        },
      ]);
    },
  );

  it('recalls the payments that it lists, and the whole message only where it says so', async () => {
    expect(await ofWholeMessage('<NbOfTxs>1</NbOfTxs>')).toEqual([undefined]);
    expect(await ofWholeMessage('<GrpCxl>true</GrpCxl>')).toEqual([undefined, true]);
  });

  it('may name amounts and days that cannot be read', async () => {
    for (const amount of ['9,00', '-9.00', '9.001', '1e3']) expect(await recallOf(recallXml({ amount }))).not.toHaveProperty('amount');
    for (const settledOn of ['2026-13-01', '2026-02-30', '06.05.2026'])
      expect(await recallOf(recallXml({ settledOn }))).not.toHaveProperty('settledOn');
  });
});

describe('a camt.029', () => {
  const header = { id: '0'.repeat(32), createdAt: new Date('2026-05-07T22:30:00Z'), timeZone: 'Europe/Berlin' };
  const compose = async (...[answer]: [Parameters<typeof composeCamt029>[1]]) =>
    composeCamt029(await recallOf(recallXml(spec)), answer, header).replace(/>\s+</g, '><');

  it('consents, to who asked, about the payment as it was named', async () => {
    expect(await compose({ kind: 'accepted' })).toContain(
      `<Assgnmt><Id>${header.id}</Id><Assgnr><Agt><FinInstnId><BICFI>MNTRIS22</BICFI></FinInstnId></Agt></Assgnr>` +
        '<Assgne><Agt><FinInstnId><BICFI>PAYRDEFF</BICFI></FinInstnId></Agt></Assgne><CreDtTm>2026-05-08T00:30:00</CreDtTm></Assgnmt>' +
        '<RslvdCase><Id>CASE-1</Id><Cretr><Agt><FinInstnId><BICFI>PAYRDEFF</BICFI></FinInstnId></Agt></Cretr></RslvdCase><Sts><Conf>CNCL</Conf></Sts>' +
        `<CxlDtls><TxInfAndSts><CxlStsId>${header.id}</CxlStsId>` +
        '<OrgnlGrpInf><OrgnlMsgId>MSG-7</OrgnlMsgId><OrgnlMsgNmId>pacs.008.001.08</OrgnlMsgNmId></OrgnlGrpInf>' +
        `<OrgnlEndToEndId>INV-7</OrgnlEndToEndId><OrgnlTxId>TX-7</OrgnlTxId><OrgnlUETR>${uetr}</OrgnlUETR><TxCxlSts>ACCR</TxCxlSts></TxInfAndSts></CxlDtls>`,
    );
  });

  it('refuses the recall of a whole message', async () => {
    const recall = await recallOf(messageRecallXml('<GrpCxl>true</GrpCxl>'));
    expect(composeCamt029(recall, { kind: 'refused', code: 'NOOR' }, header).replace(/>\s+</g, '><')).toContain(
      '<Sts><Conf>RJCR</Conf></Sts><CxlDtls><OrgnlGrpInfAndSts><OrgnlMsgId>MSG-7</OrgnlMsgId><OrgnlMsgNmId>pacs.008.001.08</OrgnlMsgNmId>' +
        '<GrpCxlSts>RJCR</GrpCxlSts><CxlStsRsnInf><Rsn><Cd>NOOR</Cd></Rsn></CxlStsRsnInf></OrgnlGrpInfAndSts></CxlDtls>',
    );
  });

  it('refuses with a reason', async () => {
    const xml = await compose({ kind: 'refused', code: 'CUST', text: 'they keep it & more' });
    expect(xml).toContain('<Conf>RJCR</Conf>');
    expect(xml).toContain(
      '<TxCxlSts>RJCR</TxCxlSts><CxlStsRsnInf><Rsn><Cd>CUST</Cd></Rsn><AddtlInf>they keep it + more</AddtlInf></CxlStsRsnInf>',
    );
  });
});
