import { isSepaReference, sepaText } from './characters.ts';
import { isCreditorReference } from '../camt/remittance.ts';
import { type Node, node } from './xml-writer.ts';

/** `Max35Text` and `Max140Text`. */
const referenceLength = 35;
const ustrdLength = 140;

interface Remittance {
  remittance: string | null;
  structuredReference: string | null;
}

/**
 * `RmtInf`: the creditor's reference in the structured field, else the text in the unstructured one; SEPA takes one of
 * the two. A reference that begins with `RF` is one of ISO 11649 and must have the right check digits. One that the
 * structured field cannot hold (wrong check digits, too long, other characters) goes to the payee as text, because a
 * bank would refuse the payment for it.
 */
export function remittanceNode({ remittance, structuredReference }: Remittance): Node | undefined {
  const reference = structuredReference?.trim() ?? '';
  const structured = reference === '' ? undefined : structuredNode(reference);
  if (structured !== undefined) return node('RmtInf', node('Strd', node('CdtrRefInf', ...structured)));
  const text = sepaText(reference === '' ? (remittance ?? '') : reference, ustrdLength);
  return text === '' ? undefined : node('RmtInf', node('Ustrd', text));
}

/** `Tp` and `Ref`; `SCOR` is the only type that SEPA knows. */
function structuredNode(reference: string): Node[] | undefined {
  const compact = reference.replace(/\s/g, '').toUpperCase();
  const isIso = compact.startsWith('RF');
  const value = isIso ? compact : reference;
  if (isIso && !isCreditorReference(compact)) return undefined;
  if (value.length > referenceLength || !isSepaReference(value)) return undefined;
  const type = [node('CdOrPrtry', node('Cd', 'SCOR')), ...(isIso ? [node('Issr', 'ISO')] : [])];
  return [node('Tp', ...type), node('Ref', value)];
}
