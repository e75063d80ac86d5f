/** The widget types. Stored widgets of other types, from an older or newer version, are ignored when read. */
export const widgetTypes = [
  'total-balance',
  'active-agents',
  'transactions-count',
  'policy-groups',
  'recent-transactions',
  'quick-stats',
  'top-wallets',
  'active-agents-list',
  'success-rate',
  'total-spent',
  'avg-transaction',
  'total-contacts',
  'total-wallets',
  'pending-escrows',
  'transaction-breakdown',
  'recent-activity',
  'failed-transactions',
  'contact-activity',
  'policy-budget',
] as const
export type WidgetType = (typeof widgetTypes)[number]
