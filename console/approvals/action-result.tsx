import { Link } from '@tanstack/react-router';
import { FieldList, FieldRow } from '../design/field-list.tsx';

/** What carrying out an action has answered, field by field. What has a page is a link. */
export function ActionResult({ result }: { result: unknown }) {
  if (typeof result !== 'object' || result === null) return null;
  return (
    <FieldList>
      {Object.entries(result).map(([name, value]) => (
        <FieldRow key={name} name={inWords(name)}>
          <ResultValue name={name} value={value} />
        </FieldRow>
      ))}
    </FieldList>
  );
}

function ResultValue({ name, value }: { name: string; value: unknown }) {
  if (value === null) return '–';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (name === 'orderId') {
    return (
      <Link to="/orders/$id" params={{ id: text }}>
        {text}
      </Link>
    );
  }
  if (name === 'profile') {
    return (
      <Link to="/customers/$id" params={{ id: text }}>
        {text}
      </Link>
    );
  }
  return text;
}

/** `turnedDown` is "Turned down". */
function inWords(name: string): string {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}
