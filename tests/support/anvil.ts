export { type Anvil, type AnvilOptions, startAnvil } from '../../scripts/anvil.ts'
