import { collapsed, elementAt, elementsAt, textAt, textsAt } from '../xml/element.ts';
import type { Element } from '../xml/element.ts';
import { realReference } from '../placeholder.ts';

/** `Max140Text`: a bank that cuts a longer text into several `Ustrd` fills each but the last. */
const ustrdLength = 140;

/** What a payment is for. */
export interface Remittance {
  remittance?: string;
  structuredReference?: string;
}

/** The remittance information of `TxDtls/RmtInf`, with the bank's own words as the last resort. */
export function remittanceOf(transaction: Element | undefined, fallback: Element | undefined): Remittance {
  const information = elementAt(transaction, 'RmtInf');
  const structured = elementsAt(information, 'Strd');
  const references = structured.flatMap((block) => creditorReferences(block));
  const [first] = references;
  const structuredReference = references.find(isCreditorReference) ?? first;
  const remittance =
    unstructured(elementsAt(information, 'Ustrd')) ??
    collapsed(structured.flatMap((block) => structuredText(block, structuredReference)).join(' ')) ??
    (structuredReference === undefined ? (textAt(transaction, 'AddtlTxInf') ?? textAt(fallback, 'AddtlNtryInf')) : undefined);
  return { ...(remittance && { remittance }), ...(structuredReference && { structuredReference }) };
}

/** Lines are joined by a space, but a line that is full was cut by its length and goes on without one. */
function unstructured(lines: Element[]): string | undefined {
  const text = lines.map((line) => (line.text.length === ustrdLength ? line.text : `${line.text} `)).join('');
  return collapsed(text);
}

/** `Strd/CdtrRefInf/Ref`; an ISO 11649 reference printed in groups of four is put together. */
function creditorReferences(block: Element): string[] {
  return textsAt(block, 'CdtrRefInf', 'Ref').flatMap((text) => {
    const compact = text.replace(/\s/g, '').toUpperCase();
    return isCreditorReference(compact) ? compact : (realReference(text) ?? []);
  });
}

/** What a structured block says besides the reference handed on as such: further references, documents, free text. */
function structuredText(block: Element, told: string | undefined): string[] {
  const documents = elementsAt(block, 'RfrdDocInf').flatMap((document) => {
    const type = textAt(document, 'Tp', 'CdOrPrtry', 'Cd') ?? textAt(document, 'Tp', 'CdOrPrtry', 'Prtry');
    const number = textAt(document, 'Nb');
    return number === undefined ? [] : [type === undefined ? number : `${type} ${number}`];
  });
  return [...creditorReferences(block).filter((reference) => reference !== told), ...documents, ...textsAt(block, 'AddtlRmtInf')];
}

/** ISO 11649: `RF`, two check digits, up to 21 characters, the whole with `RFnn` moved to the end being 1 modulo 97. */
export function isCreditorReference(reference: string): boolean {
  if (!/^RF\d{2}[A-Z0-9]{1,21}$/.test(reference)) return false;
  const digits = Array.from(reference.slice(4) + reference.slice(0, 4), (character) => Number.parseInt(character, 36)).join('');
  return BigInt(digits) % 97n === 1n;
}
