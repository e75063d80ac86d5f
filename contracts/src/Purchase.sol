// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title A purchase: one of USDC's own authorisations to transfer (EIP-3009), numbered and capped.
/// @notice A session's purchase allowance A, in whole USDC, is divided into three classes:
///
/// | class | cap of one purchase | purchases (of A) |
/// |---|---|---|
/// | 0 | 0.01 USDC | 10 × A (10 %) |
/// | 1 | 0.1 USDC | 3 × A (30 %) |
/// | 2 | 1 USDC | 3 × A / 5, rounded down (60 %) |
///
/// @dev A signature is `to 20 | value 8 | validBefore 6 | class 1 | number 4 | r 32 | vs 32`, where r and vs are the
/// session key's signature of USDC's digest in the compact form of EIP-2098. The nonce of the authorisation is `epoch 32
/// | class 8 | number 32 | 0`.
library Purchase {
    struct Signed {
        address to;
        /// @dev Micro-USDC.
        uint64 value;
        /// @dev Unix seconds, exclusive.
        uint48 validBefore;
        uint8 class;
        /// @dev From 0, below the count of the class.
        uint32 number;
        bytes32 r;
        bytes32 vs;
    }

    uint256 internal constant LENGTH = 103;

    bytes32 private constant TRANSFER_WITH_AUTHORIZATION_TYPEHASH = keccak256(
        "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );

    /// @dev Converting to a shorter type takes the first bytes.
    /// @param signature `LENGTH` bytes.
    function unpack(bytes calldata signature) internal pure returns (Signed memory) {
        return Signed({
            to: address(bytes20(signature[0:])),
            value: uint64(bytes8(signature[20:])),
            validBefore: uint48(bytes6(signature[28:])),
            class: uint8(signature[34]),
            number: uint32(bytes4(signature[35:])),
            r: bytes32(signature[39:]),
            vs: bytes32(signature[71:])
        });
    }

    /// @notice Whether value and number are within what `allowance` whole USDC permit in this class.
    function isWithin(Signed memory purchase, uint256 allowance) internal pure returns (bool) {
        if (purchase.class == 0) return purchase.value <= 0.01e6 && purchase.number < 10 * allowance;
        if (purchase.class == 1) return purchase.value <= 0.1e6 && purchase.number < 3 * allowance;
        return purchase.class == 2 && purchase.value <= 1e6 && purchase.number < (3 * allowance) / 5;
    }

    /// @notice What the session key signs: USDC's digest of the transfer from this wallet.
    /// @param domainSeparator USDC's, read now: a change of its name or of the chain id changes it.
    function digest(Signed memory purchase, bytes32 domainSeparator, uint32 epoch) internal view returns (bytes32) {
        uint256 nonce = (uint256(epoch) << 224) | (uint256(purchase.class) << 216) | (uint256(purchase.number) << 184);
        bytes32 structHash = keccak256(
            abi.encode(
                TRANSFER_WITH_AUTHORIZATION_TYPEHASH,
                address(this),
                purchase.to,
                purchase.value,
                0,
                purchase.validBefore,
                nonce
            )
        );
        return keccak256(abi.encodePacked(hex"1901", domainSeparator, structHash));
    }
}
