/** '1 payment', '3 payments'. */
export const plural = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`

/** Message of a failure without a better one; screens replace it with their own. */
export const somethingWrong = 'Something went wrong'
