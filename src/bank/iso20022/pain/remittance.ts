import type { RailPayment } from '../../rail.ts';
import { isCreditorReference, nationalReference } from '../creditor-reference.ts';
import { sepaText } from './characters.ts';
import { type Node, node } from './xml-writer.ts';

/** Length of `Max140Text`. */
const unstructuredLength = 140;

/**
 * `RmtInf`: the creditor reference in the structured field, else the text in the unstructured field; SEPA allows only one
 * of the two. A reference is one of ISO 11649 or one that the payee's country defines, both known by their check digits. Any other is sent as text, because a bank may
 * refuse the payment for it.
 */
export function remittanceNode({
  remittance,
  structuredReference,
  creditorIban,
}: Pick<RailPayment, 'remittance' | 'structuredReference' | 'creditorIban'>): Node | undefined {
  const reference = structuredReference?.trim() ?? '';
  const referenceNodes = creditorReferenceNodes(reference, creditorIban);
  if (referenceNodes !== undefined) return node('RmtInf', node('Strd', node('CdtrRefInf', ...referenceNodes)));
  const text = sepaText(reference === '' ? (remittance ?? '') : reference, unstructuredLength);
  return text === '' ? undefined : node('RmtInf', node('Ustrd', text));
}

/** `Tp` and `Ref`, or `undefined` for a text that is no reference. `SCOR` is the only type in SEPA. */
function creditorReferenceNodes(reference: string, creditorIban: string): Node[] | undefined {
  const compact = reference.replace(/\s/g, '').toUpperCase();
  const known = isCreditorReference(compact) ? { value: compact, issuer: 'ISO' } : nationalReference(reference, creditorIban);
  if (known === undefined) return undefined;
  const type = [node('CdOrPrtry', node('Cd', 'SCOR')), ...(known.issuer === undefined ? [] : [node('Issr', known.issuer)])];
  return [node('Tp', ...type), node('Ref', known.value)];
}
