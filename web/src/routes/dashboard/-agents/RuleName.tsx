import { ruleOf } from './ruleNames.ts'

export default function RuleName(props: { rule: string }) {
  return ruleOf(props.rule).name
}
