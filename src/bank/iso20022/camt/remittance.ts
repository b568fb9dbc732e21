import { isCreditorReference } from '../creditor-reference.ts';
import { withoutUndefined } from '../../without-undefined.ts';
import { realReference } from '../placeholder.ts';
import { codeAt, collapseWhiteSpace, type Element, elementAt, elementsAt, textAt, textsAt } from '../xml/element.ts';

/** Length of `Max140Text`: a bank that cuts a longer text into several `Ustrd` fills each but the last. */
const unstructuredLength = 140;

/**
 * The remittance information of a transaction (`TxDtls/RmtInf`): its text on one line, and its creditor reference (ISO 11649 or
 * national). Without any, the text is the bank's own: `AddtlTxInf` of the transaction, else `AddtlNtryInf` of `entry`, which is only
 * passed when the entry has no other transaction.
 */
export function remittanceOf(transaction: Element | undefined, entry: Element | undefined) {
  const information = elementAt(transaction, 'RmtInf');
  const blocks = elementsAt(information, 'Strd');
  const references = blocks.flatMap(creditorReferences);
  const structuredReference = references.find(isCreditorReference) ?? references[0];
  const remittance =
    unstructured(elementsAt(information, 'Ustrd')) ??
    collapseWhiteSpace(blocks.flatMap((block) => structuredTexts(block, structuredReference)).join(' ')) ??
    (structuredReference === undefined ? (textAt(transaction, 'AddtlTxInf') ?? textAt(entry, 'AddtlNtryInf')) : undefined);
  return withoutUndefined({ remittance, structuredReference });
}

/** Lines are joined by a space, except after a line of full length, which was cut there. */
function unstructured(lines: Element[]): string | undefined {
  const text = lines.map((line) => (line.text.length === unstructuredLength ? line.text : `${line.text} `)).join('');
  return collapseWhiteSpace(text);
}

/** `Strd/CdtrRefInf/Ref`. An ISO 11649 reference may be printed in groups of four, which are joined. */
function creditorReferences(block: Element): string[] {
  return textsAt(block, 'CdtrRefInf', 'Ref').flatMap((text) => {
    const compact = text.replace(/\s/g, '').toUpperCase();
    return isCreditorReference(compact) ? compact : (realReference(text) ?? []);
  });
}

/** The content of a structured block besides its chosen reference: other references, documents, free text. */
function structuredTexts(block: Element, chosen: string | undefined): string[] {
  const documents = elementsAt(block, 'RfrdDocInf').flatMap((document) => {
    const type = codeAt(document, 'Tp', 'CdOrPrtry');
    const number = textAt(document, 'Nb');
    return number === undefined ? [] : [type === undefined ? number : `${type} ${number}`];
  });
  return [...creditorReferences(block).filter((reference) => reference !== chosen), ...documents, ...textsAt(block, 'AddtlRmtInf')];
}
