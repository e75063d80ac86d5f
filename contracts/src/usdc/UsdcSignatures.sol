// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";

import {UsdcSignatureChecker} from "./UsdcSignatureChecker.sol";

/// @title The EIP-712 domain and the signature checks of the stand-in.
abstract contract UsdcSignatures {
    bytes32 private constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");

    /// @notice The version in the EIP-712 domain.
    string public constant version = "2";

    /// @dev A separate contract, since Circle links this check as a library: each check delegates to another account.
    UsdcSignatureChecker private immutable CHECKER = new UsdcSignatureChecker();

    function DOMAIN_SEPARATOR() public view returns (bytes32) {
        return keccak256(
            abi.encode(
                DOMAIN_TYPEHASH, keccak256(bytes(name())), keccak256(bytes(version)), block.chainid, address(this)
            )
        );
    }

    /// @notice The name in the EIP-712 domain.
    function name() public view virtual returns (string memory);

    /// @dev By delegatecall, as to a library: a contract that is asked for its signature is asked by the token itself.
    /// @return Whether `signature` of the message `structHash` is by `signer`. Reverts if it is malformed.
    function _isSigned(address signer, bytes32 structHash, bytes memory signature) internal returns (bool) {
        bytes32 digest = MessageHashUtils.toTypedDataHash(DOMAIN_SEPARATOR(), structHash);
        bytes memory result = Address.functionDelegateCall(
            address(CHECKER), abi.encodeCall(UsdcSignatureChecker.isValidSignatureNow, (signer, digest, signature))
        );
        return abi.decode(result, (bool));
    }
}
