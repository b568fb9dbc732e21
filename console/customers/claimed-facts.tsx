import { FieldList, FieldRow } from '../design/field-list.tsx';
import styles from './claimed-facts.module.css';

/** Facts are nested at most so deep: a company has persons, who have documents. */
const deepest = 4;

/** What a customer has claimed, name by name, as text; `labels` has the words for values such as `FUND_ORIGIN_SALARY`. */
export function ClaimedFacts({ value, labels, depth = 0 }: { value: unknown; labels: Record<string, string>; depth?: number }) {
  if (typeof value !== 'object' || value === null) return textOf(value, labels);
  if (depth >= deepest) return JSON.stringify(value);
  if (Array.isArray(value)) {
    return (
      <ol className={styles.list}>
        {value.map((item: unknown, index) => (
          <li key={index}>
            <ClaimedFacts value={item} labels={labels} depth={depth + 1} />
          </li>
        ))}
      </ol>
    );
  }
  return (
    <FieldList>
      {inReadingOrder(Object.entries(value)).map(([name, fact]) => (
        <FieldRow key={name} name={nameOfField(name)}>
          <ClaimedFacts value={fact} labels={labels} depth={depth + 1} />
        </FieldRow>
      ))}
    </FieldList>
  );
}

/** As a reviewer compares them with a document. The database keeps no order of names. */
const firstNames = ['name', 'firstName', 'lastName', 'birthday', 'nationality', 'address', 'postalCode', 'city', 'country', 'idDocument'];

function inReadingOrder(facts: [string, unknown][]): [string, unknown][] {
  return facts.toSorted(([first], [second]) => rankOf(first) - rankOf(second));
}

function rankOf(name: string): number {
  const index = firstNames.indexOf(name);
  return index === -1 ? firstNames.length : index;
}

/** Words of names that are not written as others. */
const spellings: Readonly<Record<string, string>> = { id: 'ID', pdf: 'PDF', tin: 'TIN', us: 'US' };

/** A name of the API in words: `birthday` is `Birthday`, `idDocument.front` is `ID document, front`. */
export function nameOfField(name: string): string {
  const words = name.replaceAll('.', ', ').replaceAll(/([a-z])([A-Z])/g, '$1 $2');
  const spelled = words.toLowerCase().replaceAll(/\b[a-z]+\b/g, (word) => spellings[word] ?? word);
  return spelled.charAt(0).toUpperCase() + spelled.slice(1);
}

function textOf(value: unknown, labels: Record<string, string>): string {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? (Object.hasOwn(labels, value) ? (labels[value] as string) : value) : JSON.stringify(value);
}
