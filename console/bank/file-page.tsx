import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { FieldList, FieldRow } from '../design/field-list.tsx';
import { Copyable } from '../design/hash.tsx';
import { Section } from '../design/page.tsx';
import { Time } from '../design/time.tsx';
import { BankFrame } from './bank-frame.tsx';
import { FileReportView } from './file-report.tsx';
import { fileQuery } from './queries.ts';

const route = getRouteApi('/app/bank/files/$hash');

/** One imported file, and its report. */
export function FilePage() {
  const { hash } = route.useParams();
  const { data } = useSuspenseQuery(fileQuery(hash));
  return (
    <BankFrame title={data.name}>
      <Section title={data.name}>
        <FieldList>
          <FieldRow name="Message">{data.message}</FieldRow>
          <FieldRow name="Imported">
            <Time at={data.importedAt} show="both" />
          </FieldRow>
          <FieldRow name="SHA-256">
            <Copyable value={hash} />
          </FieldRow>
        </FieldList>
      </Section>
      <Section title="What it did">
        <FileReportView report={data.report} />
      </Section>
    </BankFrame>
  );
}
