/** The states of deliveries. */
export const deliveryStates = ['pending', 'delivered', 'failed', 'cancelled'] as const;

/** The types of events. */
export const eventTypes = ['iban.updated', 'order.created', 'order.updated', 'profile.error', 'profile.updated'] as const;

/** What of the deliveries is shown. */
export interface DeliverySearch {
  subscription?: string;
  state?: (typeof deliveryStates)[number];
  type?: (typeof eventTypes)[number];
}

/** What an address of the page says of them; what it says otherwise is left out. */
export function readDeliverySearch({ subscription, state, type }: Record<string, unknown>): DeliverySearch {
  return {
    ...(typeof subscription === 'string' && { subscription }),
    ...only('state', deliveryStates, state),
    ...only('type', eventTypes, type),
  };
}

/** The value under its name, if it is one of those that there are. */
function only<Name extends string, Value extends string>(name: Name, known: readonly Value[], value: unknown): { [Key in Name]?: Value } {
  const match = known.find((candidate) => candidate === value);
  return (match === undefined ? {} : { [name]: match }) as { [Key in Name]?: Value };
}
