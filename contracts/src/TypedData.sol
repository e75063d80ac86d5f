// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title EIP-712 digests for contracts whose domain is {name, version "1", chainId, verifyingContract}.
/// @dev The domain is computed on every call from the current chain id and address: a clone has no constructor to cache
/// it in, and a cached domain would be wrong after a fork of the chain.
library TypedData {
    bytes32 internal constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 internal constant VERSION_HASH = keccak256("1");

    /// @notice The digest to sign for `structHash` in this contract's domain.
    /// @dev Assembly saves about 500 gas per signature. In plain Solidity:
    /// `keccak256(abi.encodePacked(hex"1901", keccak256(abi.encode(DOMAIN_TYPEHASH, nameHash, VERSION_HASH,
    /// block.chainid, address(this))), structHash))`.
    /// @param nameHash keccak256 of the domain's name.
    /// @param structHash hashStruct of the message (EIP-712).
    function digest(bytes32 nameHash, bytes32 structHash) internal view returns (bytes32 result) {
        bytes32 typeHash = DOMAIN_TYPEHASH;
        bytes32 versionHash = VERSION_HASH;
        assembly ("memory-safe") {
            let free := mload(0x40)
            mstore(free, typeHash)
            mstore(add(free, 0x20), nameHash)
            mstore(add(free, 0x40), versionHash)
            mstore(add(free, 0x60), chainid())
            mstore(add(free, 0x80), address())
            let domain := keccak256(free, 0xa0)
            mstore(free, hex"1901")
            mstore(add(free, 0x02), domain)
            mstore(add(free, 0x22), structHash)
            result := keccak256(free, 0x42)
        }
    }
}
