import { expect, test } from 'vitest';
import { credits, readSpec } from './reading.ts';

async function remittanceOf(remittance: string, info?: string) {
  const transactions = [{ remittance, ...(info && { info }) }];
  const [credit] = credits(await readSpec({ entries: [{ transactions, info: 'Entry text' }] }));
  return [credit?.remittance, credit?.structuredReference];
}

const reference = (text: string, type = '<Cd>SCOR</Cd>') =>
  `<CdtrRefInf><Tp><CdOrPrtry>${type}</CdOrPrtry></Tp><Ref>${text}</Ref></CdtrRefInf>`;
const full = 'x'.repeat(140);

test.each<[string, string, (string | undefined)[]]>([
  ['one line', '<Ustrd>Invoice 1</Ustrd>', ['Invoice 1', undefined]],
  ['several lines, joined by a space', '<Ustrd>Invoice</Ustrd><Ustrd>1</Ustrd>', ['Invoice 1', undefined]],
  ['a full line, which goes on without one', `<Ustrd>${full}</Ustrd><Ustrd>y</Ustrd>`, [`${full}y`, undefined]],
  ['white space', '<Ustrd>\n  Invoice\n\t1 </Ustrd>', ['Invoice 1', undefined]],
  ['an ISO 11649 reference', `<Strd>${reference('RF18539007547034')}</Strd>`, [undefined, 'RF18539007547034']],
  ['the same in groups', `<Strd>${reference('rf18 5390 0754 7034')}</Strd>`, [undefined, 'RF18539007547034']],
  ['a national reference', `<Strd>${reference('21 00000 00003', '<Prtry>QRR</Prtry>')}</Strd>`, [undefined, '21 00000 00003']],
  ['a placeholder', `<Ustrd>a</Ustrd><Strd>${reference('NOTPROVIDED')}</Strd>`, ['a', undefined]],
  ['both', `<Ustrd>a</Ustrd><Strd>${reference('R1')}</Strd>`, ['a', 'R1']],
  ['several blocks', `<Strd>${reference('R1')}</Strd><Strd>${reference('RF18539007547034')}</Strd>`, ['R1', 'RF18539007547034']],
  ['additional text', `<Strd>${reference('R1')}<AddtlRmtInf>b</AddtlRmtInf><AddtlRmtInf>c</AddtlRmtInf></Strd>`, ['b c', 'R1']],
  [
    'a document',
    '<Strd><RfrdDocInf><Tp><CdOrPrtry><Cd>CINV</Cd></CdOrPrtry></Tp><Nb>4711</Nb></RfrdDocInf></Strd>',
    ['CINV 4711', undefined],
  ],
  ['nothing, told by the entry', '', ['Entry text', undefined]],
])('%s', async (_name, remittance, expected) => {
  expect(await remittanceOf(remittance)).toEqual(expected);
});

test('the words of the bank on the transaction come before those on the entry', async () => {
  expect(await remittanceOf('', 'Transaction text')).toEqual(['Transaction text', undefined]);
});

test('the words of the bank do not stand in for remittance where there is any', async () => {
  expect(await remittanceOf('<Ustrd>a</Ustrd>', 'Transaction text')).toEqual(['a', undefined]);
});
