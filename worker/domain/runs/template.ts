/** A file to start from: its columns, and two rows as examples, whose recipients belong to nobody. */
export const runTemplate = [
  'to,amount,name,memo,reference',
  'ada@example.com,12.50,Ada Lovelace,Design in October,INV-1001',
  '+14155550123,8.00,Grace Hopper,Expenses,INV-1002',
  '',
].join('\r\n')
