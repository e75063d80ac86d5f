/** '1 payment', '3 payments'. */
export const plural = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`

/** What a failure says that has nothing to say; screens show a sentence of their own instead. */
export const somethingWrong = 'Something went wrong'
