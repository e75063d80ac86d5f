import type { Json } from './components.ts'
import type { Operation, RequestName } from './operations.ts'

/** Ids that the samples contain; readers replace them by their own. */
export const exampleIds = { payment: 'pay_0mws9c1f4k2b7', budgetRequest: 'apr_0mws9c1f4k2b7', run: 'run_0mws9c1f4k2b7' }

const address = '0x8ba1f109551bD432803012645Ac136ddd64DBA72'
const amount = '12.5'
const memo = 'Invoice 1142'
const more = { amount: '50', reason: 'Twelve more invoices are due this week.' }
/** Each names a payment or, in another operation, a budget request or a run. */
const keys = {
  createPayment: 'invoice-1142',
  createPurchase: 'weather-1',
  requestBudget: 'more-invoices',
  prepareRun: 'salaries-november',
} as const

const title = 'Salaries November'
const salaries = [
  { to: address, amount: '1200', reference: 'S-1' },
  { to: 'ada@example.com', amount: '950', reference: 'S-2' },
]

/** Examples of JSON bodies; other bodies are forms. The first one is in the samples. */
export const jsonExamples: { [Name in RequestName]?: Json } = {
  CreatePayment: {
    address: { summary: 'To an address', value: { to: { type: 'address', address }, amount, memo } },
    contact: { summary: 'To a contact', value: { to: { type: 'contact', contactId: 'contact_1' }, amount: '3' } },
    email: { summary: 'By email', value: { to: { type: 'email', email: 'ada@example.com' }, amount: '25' } },
  },
  CreatePurchase: {
    header: {
      summary: 'The header of a reply 402',
      value: {
        resource: 'http://localhost:4021/weather',
        payment_required: 'eyJ4NDAyVmVyc2lvbiI6Mn0',
        max_amount: '0.05',
      },
    },
  },
  PurchaseReceipt: {
    served: { summary: 'The resource was served', value: { payment_response: 'eyJzdWNjZXNzIjp0cnVlfQ', served: true } },
  },
  PrepareRun: { rows: { summary: 'A list of payments', value: { title, rows: salaries } } },
  CreateBudgetRequest: { more: { summary: 'More budget', value: more } },
}

/** How an operation is called with the SDK and with the command line, by its id. */
const others: Record<string, { typescript?: string; commandLine?: string }> = {
  createPayment: {
    typescript: `const payment = await bursar.pay({
  to: '${address}',
  amount: '${amount}',
  memo: '${memo}',
  idempotencyKey: '${keys.createPayment}',
})
console.log(payment.id, payment.status)`,
    commandLine: `bursar pay ${address} ${amount} --memo "${memo}" --key ${keys.createPayment}`,
  },
  checkPayment: {
    typescript: `const { allowed, refusal } = await bursar.check({ to: '${address}', amount: '${amount}' })
console.log(allowed, refusal?.next)`,
    commandLine: `bursar check ${address} ${amount}`,
  },
  listPayments: {
    typescript: 'for await (const payment of bursar.payments.list()) console.log(payment.id, payment.status)',
    commandLine: 'bursar payments --limit 100',
  },
  getPayment: {
    typescript: `const payment = await bursar.payments.get('${exampleIds.payment}')
console.log(payment.status)`,
    commandLine: `bursar payments ${exampleIds.payment}`,
  },
  cancelPayment: {
    typescript: `const payment = await bursar.payments.cancel('${exampleIds.payment}')
console.log(payment.status)`,
  },
  createPurchase: {
    typescript: `const buying = { maxAmount: '0.05', idempotencyKey: '${keys.createPurchase}' }
const response = await bursar.fetch('http://localhost:4021/weather', {}, buying)
console.log(response.status, response.payment?.id)`,
    // Without the key, which the samples before have used up.
    commandLine: 'bursar fetch http://localhost:4021/weather --max-amount 0.05',
  },
  requestBudget: {
    typescript: `const request = await bursar.budgetRequests.create({
  amount: '${more.amount}',
  reason: '${more.reason}',
  idempotencyKey: '${keys.requestBudget}',
})
console.log(request.id, request.approval.url)`,
    commandLine: `bursar ask ${more.amount} --reason "${more.reason}" --key ${keys.requestBudget}`,
  },
  getBudgetRequest: {
    typescript: `const request = await bursar.budgetRequests.get('${exampleIds.budgetRequest}')
console.log(request.status)`,
  },
  prepareRun: {
    typescript: `const run = await bursar.prepareRun({
  title: '${title}',
  rows: [
    { to: '${address}', amount: '1200', reference: 'S-1' },
    { to: 'ada@example.com', amount: '950', reference: 'S-2' },
  ],
  idempotencyKey: '${keys.prepareRun}',
})
console.log(run.verdicts, run.url)`,
  },
  getRun: {
    typescript: `const run = await bursar.runs.get('${exampleIds.run}')
console.log(run.status, run.progress)`,
  },
  getContext: {
    typescript: `const { budget, max_allowed_now } = await bursar.context()
console.log(budget.remaining, max_allowed_now)`,
    commandLine: 'bursar budget',
  },
}

export type CodeSample = { lang: 'Shell' | 'TypeScript'; label: string; source: string }

/** Complete programs that call the operation, with credentials from the environment. */
export function codeSamples(operation: Operation, origin: string): CodeSample[] {
  const { typescript, commandLine } = others[operation.id] ?? {}
  return [
    { lang: 'Shell', label: 'curl', source: curl(operation, origin) },
    ...(typescript
      ? [
          {
            lang: 'TypeScript' as const,
            label: 'TypeScript',
            source: `import { Bursar } from '@bursar/sdk'\n\nconst bursar = new Bursar()\n${typescript}`,
          },
        ]
      : []),
    ...(commandLine ? [{ lang: 'Shell' as const, label: 'Command line', source: commandLine }] : []),
  ]
}

const forms: { [Name in RequestName]?: string } = {
  TokenRequest: '-d grant_type=client_credentials',
  SubmittedToken: '-d "token=$BURSAR_TOKEN"',
}

function curl({ method, path, id, access, needsKey, body }: Operation, origin: string): string {
  const address = path
    .replace('{paymentId}', exampleIds.payment)
    .replace('{requestId}', exampleIds.budgetRequest)
    .replace('{runId}', exampleIds.run)
  const [example] = Object.values((body && jsonExamples[body]) ?? {}) as { value: unknown }[]
  const form = body && forms[body]
  const parts = [
    `curl ${method === 'post' && !body ? '-X POST ' : ''}${origin}${address}`,
    access === 'client' ? '-u "$BURSAR_CLIENT_ID:$BURSAR_CLIENT_SECRET"' : '-H "Authorization: Bearer $BURSAR_API_KEY"',
    ...(needsKey ? [`-H "Idempotency-Key: ${keys[id as keyof typeof keys]}"`] : []),
    ...(example ? ['-H "Content-Type: application/json"', `-d '${JSON.stringify(example.value)}'`] : []),
    ...(form ? [form] : []),
  ]
  return parts.join(' \\\n  ')
}
