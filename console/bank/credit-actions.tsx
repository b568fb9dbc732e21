import { ActionButton } from '../design/action-button.tsx';
import { SelectField, TextAreaField, TextField } from '../design/form-field.tsx';
import { linesOf } from '../design/form-lines.ts';
import type { Credit } from './queries.ts';

const addressHint = 'Where the bank needs one and does not name it: {"city":"London","country":"GB"}';

/** What can be done with an unmatched credit, the usual remedy first. Each action carries the amount that is shown. */
export function CreditActions({ credit: { reference, amount, actions, repeats } }: { credit: Credit }) {
  const input = { reference, amount };
  return actions.map((remedy, index) => {
    // Of a suspected repeat neither is usual: the bank has to say which.
    const tone = index === 0 && repeats === null ? 'primary' : 'plain';
    switch (remedy) {
      case 'match':
        return (
          <ActionButton
            key={remedy}
            action="bank.match"
            label={repeats === null ? 'Match' : 'Not a repeat: match'}
            title="Match the credit to its holder"
            lead="It becomes an order for the holder of the IBAN, if there is one by now."
            input={input}
            reason={false}
            tone={tone}
          />
        );
      case 'match-payment':
        return (
          <ActionButton key={remedy} action="bank.match" label="Match to payment" input={input} reason={false} tone={tone}>
            <TextField
              name="payment"
              label="Payment of ours that came back"
              hint="Leave it empty for the payment that the bank names. A named payment may be over another amount: the operator adds the difference. Several that came back in one sum have commas between them."
            />
          </ActionButton>
        );
      case 'match-again':
        return (
          <ActionButton
            key={remedy}
            action="bank.match"
            label="A customer's payment"
            title="Match the credit against what it was taken for"
            lead="It becomes an order for the holder of the account."
            input={{ ...input, again: true }}
            tone={tone}
          >
            <TextField name="iban" label="Customer's account (IBAN)" hint="Empty where the bank names it." />
          </ActionButton>
        );
      case 'repeat':
        return (
          <ActionButton
            key={remedy}
            action="bank.repeat"
            label="Repeat"
            title="The same money was reported before"
            lead="Nothing is issued or returned for it, and the book undoes it."
            input={input}
            reason={false}
            readForm={(form) => ({ of: linesOf(form, 'of') })}
            tone={tone}
          >
            <TextAreaField
              name="of"
              label="Credits whose money it is"
              hint="One reference a line. Empty for the one that it is suspected to repeat."
            />
          </ActionButton>
        );
      case 'return':
      case 'return-elsewhere':
        return (
          <ActionButton
            key={remedy}
            action="bank.return"
            label="Return"
            title="Send the money back"
            input={input}
            reason={false}
            tone={tone}
          >
            <TextField
              name="toIban"
              label="To IBAN"
              hint={remedy === 'return' ? "Empty for the payer's account." : 'An account of the customer: the payer is one of our payees.'}
              required={remedy === 'return-elsewhere'}
            />
            <TextField name="toName" label="Whose account that is" required={remedy === 'return-elsewhere'} />
            <TextField name="toAddress" label="Postal address" hint={addressHint} />
          </ActionButton>
        );
      default:
        return (
          <ActionButton key={remedy} action="bank.settle" label="Settle" title="Neither issue nor return it" input={input} tone={tone}>
            <SelectField
              name="as"
              label="What it is"
              options={[
                { value: 'own', label: "The operator's own money" },
                { value: 'difference', label: 'The bank undoes an unexplained debit' },
                ...(remedy === 'settle-debit' ? [{ value: 'debit', label: 'It left: a debit, to be explained' }] : []),
              ]}
            />
            <TextField name="debit" label="Debit that it undoes" hint="Its reference, only for an unexplained debit." />
          </ActionButton>
        );
    }
  });
}
