/**
 * Country codes of IBANs in SEPA: the EPC List of SEPA Scheme Countries (EPC409-09), as in force since Serbia joined in May 2025.
 *
 * Territories share the code of their country: GB has Jersey, Guernsey and the Isle of Man; FR has French Guiana, Guadeloupe, Martinique,
 * Mayotte, Réunion, Saint Barthélemy, Saint Martin and Saint Pierre and Miquelon; FI, ES and PT have their islands. Greenland (GL) and the
 * Faroe Islands (FO) are not in SEPA, though Denmark is.
 */
const sepaCountries = new Set(
  // The European Union; the European Economic Area and others in and around it; those that joined from November 2024 to May 2025.
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK IS LI NO AD CH GB GI MC SM VA AL MD ME MK RS'.split(
    ' ',
  ),
);

/** Whether SEPA credit transfers reach accounts with this country code in their IBAN. */
export function isSepaCountry(country: string): boolean {
  return sepaCountries.has(country);
}
