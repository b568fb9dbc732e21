import type { RailPayment } from '../../rail.ts';
import { isCreditorReference } from '../creditor-reference.ts';
import { isSepaReference, sepaText } from './characters.ts';
import { type Node, node } from './xml-writer.ts';

/** Lengths of `Max35Text` and `Max140Text`. */
const referenceLength = 35;
const unstructuredLength = 140;

/**
 * `RmtInf`: the creditor reference in the structured field, else the text in the unstructured field; SEPA allows only one
 * of the two. A reference that begins with `RF` is one of ISO 11649, with check digits. A reference that the structured
 * field cannot hold (wrong check digits, too long, other characters) is sent as text, because a bank would refuse the
 * payment for it.
 */
export function remittanceNode({
  remittance,
  structuredReference,
}: Pick<RailPayment, 'remittance' | 'structuredReference'>): Node | undefined {
  const reference = structuredReference?.trim() ?? '';
  const referenceNodes = reference === '' ? undefined : creditorReferenceNodes(reference);
  if (referenceNodes !== undefined) return node('RmtInf', node('Strd', node('CdtrRefInf', ...referenceNodes)));
  const text = sepaText(reference === '' ? (remittance ?? '') : reference, unstructuredLength);
  return text === '' ? undefined : node('RmtInf', node('Ustrd', text));
}

/** `Tp` and `Ref`, or `undefined` when the field cannot hold the reference. `SCOR` is the only type in SEPA. */
function creditorReferenceNodes(reference: string): Node[] | undefined {
  const compact = reference.replace(/\s/g, '').toUpperCase();
  const isIso11649 = compact.startsWith('RF');
  const value = isIso11649 ? compact : reference;
  if (isIso11649 && !isCreditorReference(compact)) return undefined;
  if (value.length > referenceLength || !isSepaReference(value)) return undefined;
  const type = [node('CdOrPrtry', node('Cd', 'SCOR')), ...(isIso11649 ? [node('Issr', 'ISO')] : [])];
  return [node('Tp', ...type), node('Ref', value)];
}
