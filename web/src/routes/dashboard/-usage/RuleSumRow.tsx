import type { ReactNode } from 'react'
import { Amount } from '#web/components/Amount.tsx'
import { PaymentsLink } from '#web/components/PaymentsLink.tsx'
import { formatAmount, plural } from '#web/lib/format.ts'
import { unitOf } from '#web/lib/networks.ts'
import { answerNames, type RuleSum } from '#web/queries/answers.ts'
import { ruleOf } from '../-agents/ruleNames.ts'

/** Requests that ended alike by the same rules: how many, in sum, and what would have let refused ones pass. */
export function RuleSumRow(props: {
  sum: RuleSum
  agentId: string
  /** UTC days: formatUtcDays. */
  days: string
  /** What stands beside the rule. */
  by: ReactNode
}) {
  const { answer, chain, rules, count, amount } = props.sum
  const names = rules.map((rule) => ruleOf(rule).name).join(', ')
  return (
    <li className="py-2.5">
      <div className="flex flex-wrap items-baseline gap-x-4">
        <p className="wrap-anywhere min-w-0 grow basis-40">
          <PaymentsLink
            search={{
              sender: props.agentId,
              requested: props.days,
              answer,
              ...(rules.length > 0 && { rules: rules.join() }),
            }}
            chain={chain}
            className="font-medium hover:underline"
          >
            {names || answerNames[answer]}
          </PaymentsLink>
          <span className="block text-muted text-small">{props.by}</span>
        </p>
        <p className="ml-auto shrink-0 text-right">
          <Amount value={amount} chain={chain} />
          <span className="block text-muted text-small">{plural(count, 'request')}</span>
        </p>
      </div>
      {answer === 'refused' && <p className="wrap-anywhere mt-1 text-small">{remedyOf(props.sum)}</p>}
    </li>
  )
}

/** What would have let the refused requests pass. */
function remedyOf({ limitToPass, next, rules, count, chain }: RuleSum): string | null {
  if (limitToPass === null) return next
  const { name } = ruleOf(rules[0] ?? '')
  const each = count === 1 ? 'it' : 'each of them by itself'
  return `${name} of $${formatAmount(limitToPass)} ${unitOf(chain)} would have let ${each} pass.`
}
