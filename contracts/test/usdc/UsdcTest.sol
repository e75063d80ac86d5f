// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Base} from "../base/Base.sol";

/// @dev Alice holds USDC and signs by ECDSA. Signatures are in the form v, r, s.
abstract contract UsdcTest is Base {
    uint256 internal constant ALICE = 0xa1;
    uint256 internal constant HOLDING = 100e6;
    bytes32 internal constant TRANSFER_TYPEHASH = keccak256(
        "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    address internal alice;

    function setUp() public virtual override {
        super.setUp();
        alice = vm.addr(ALICE);
        mint(alice, HOLDING);
    }

    function domainSeparator(string memory name) internal view returns (bytes32) {
        return keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256(bytes(name)),
                keccak256("2"),
                block.chainid,
                address(usdc)
            )
        );
    }

    function sign(uint256 key, bytes memory encoded) internal view returns (uint8, bytes32, bytes32) {
        return vm.sign(key, keccak256(abi.encodePacked(hex"1901", domainSeparator("USD Coin"), keccak256(encoded))));
    }

    /// @dev Alice's authorization of a transfer to RECIPIENT, valid for ten seconds from START.
    function signTransfer(uint256 value, bytes32 nonce) internal view returns (uint8, bytes32, bytes32) {
        return sign(ALICE, abi.encode(TRANSFER_TYPEHASH, alice, RECIPIENT, value, START - 1, START + 10, nonce));
    }

    /// @dev The next call must revert with `text`, as `require` and Circle's token do.
    function expectText(string memory text) internal {
        vm.expectRevert(abi.encodeWithSignature("Error(string)", text));
    }
}
