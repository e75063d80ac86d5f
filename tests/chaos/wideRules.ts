/** Every rule that does not ask the owner about ordinary payments, so wide that none refuses what the budget allows. */
export function wideRules() {
  const hour = (offset: number) => `${String((new Date().getUTCHours() + 24 + offset) % 24).padStart(2, '0')}:00`
  return {
    maxPayment: '10000',
    periodBudget: { period: 'week', limit: '10000' },
    rollingBudget: { hours: 24, limit: '10000' },
    maxPayments: { per: 'hour', count: 100_000, whenExceeded: 'refuse' },
    maxNewRecipients: { per: 'day', count: 10_000, whenExceeded: 'refuse' },
    perRecipient: { period: 'day', limit: '10000', whenExceeded: 'refuse' },
    hours: {
      days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
      from: hour(-2),
      to: hour(-3),
      zone: 'UTC',
      whenExceeded: 'refuse',
    },
    maxUnclaimed: '10000',
    blockedAddresses: ['0x000000000000000000000000000000000000dead'],
    emailDomains: ['recipients.test'],
    approveAbove: '10000',
    approvalTtlHours: 24,
  }
}
