/** The ids of objects that earlier test files left. Separate, because a setup file is loaded again for each test file. */
export const deletedObjects = new Set<string>()
