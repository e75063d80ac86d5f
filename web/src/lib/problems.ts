export { plainAmount } from '../../../worker/domain/amountText.ts'
