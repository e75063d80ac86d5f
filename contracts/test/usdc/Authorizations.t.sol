// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

import {UsdcAuthorizations} from "../../src/usdc/UsdcAuthorizations.sol";
import {Erc1271Signer} from "../mocks/Hostile.sol";
import {UsdcTest} from "./UsdcTest.sol";

/// @dev EIP-3009 and EIP-2612.
contract UsdcAuthorizationsTest is UsdcTest {
    bytes32 private constant RECEIVE_TYPEHASH = keccak256(
        "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    bytes32 private constant CANCEL_TYPEHASH = keccak256("CancelAuthorization(address authorizer,bytes32 nonce)");
    bytes32 private constant PERMIT_TYPEHASH =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");

    /// @dev Submits an authorization of `signTransfer`.
    function _transfer(uint256 value, bytes32 nonce, uint8 v, bytes32 r, bytes32 s) private {
        usdc.transferWithAuthorization(alice, RECIPIENT, value, START - 1, START + 10, nonce, v, r, s);
    }

    function _transfer(uint256 value, bytes32 nonce, bytes memory signature) private {
        usdc.transferWithAuthorization(alice, RECIPIENT, value, START - 1, START + 10, nonce, signature);
    }

    function testFuzz_transferWithAuthorization_acceptsBothForms(bool packed, uint256 value, bytes32 nonce) public {
        value = bound(value, 0, HOLDING);
        (uint8 v, bytes32 r, bytes32 s) = signTransfer(value, nonce);
        vm.expectEmit(address(usdc));
        emit UsdcAuthorizations.AuthorizationUsed(alice, nonce);
        vm.expectEmit(address(usdc));
        emit IERC20.Transfer(alice, RECIPIENT, value);
        if (packed) _transfer(value, nonce, abi.encodePacked(r, s, v));
        else _transfer(value, nonce, v, r, s);
        vm.assertTrue(usdc.authorizationState(alice, nonce), "unused");
        vm.assertEq(usdc.balanceOf(RECIPIENT), value);

        expectText("FiatTokenV2: authorization is used or canceled");
        _transfer(value, nonce, v, r, s);
    }

    function test_transferWithAuthorization_isValidStrictlyBetweenItsBounds() public {
        (uint8 v, bytes32 r, bytes32 s) = signTransfer(1, 0);
        vm.warp(START - 1);
        expectText("FiatTokenV2: authorization is not yet valid");
        _transfer(1, 0, v, r, s);
        vm.warp(START + 10);
        expectText("FiatTokenV2: authorization is expired");
        _transfer(1, 0, v, r, s);
        vm.warp(START + 9);
        _transfer(1, 0, v, r, s);
    }

    function testFuzz_transferWithAuthorization_reverts_whenAnArgumentWasChanged(address to, uint256 value) public {
        vm.assume((to != RECIPIENT || value != 1) && to != address(usdc));
        (uint8 v, bytes32 r, bytes32 s) = signTransfer(1, 0);
        expectText("FiatTokenV2: invalid signature");
        usdc.transferWithAuthorization(alice, to, value, START - 1, START + 10, 0, v, r, s);
    }

    function test_transferWithAuthorization_respectsPauseAndBlacklist() public {
        (uint8 v, bytes32 r, bytes32 s) = signTransfer(1, 0);
        address[2] memory parties = [alice, RECIPIENT];
        for (uint256 i = 0; i < 2; ++i) {
            setBlacklisted(parties[i], true);
            expectText("Blacklistable: account is blacklisted");
            _transfer(1, 0, v, r, s);
            setBlacklisted(parties[i], false);
        }
        vm.prank(ADMIN);
        usdc.pause();
        expectText("Pausable: paused");
        _transfer(1, 0, v, r, s);
    }

    /// @dev A malformed signature reverts with the reason; one by another key is just invalid.
    function test_malformedSignatures_revertWithTheReason() public {
        (uint8 v, bytes32 r, bytes32 s) = signTransfer(1, 0);
        uint256 order = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141;
        expectText("ECRecover: invalid signature 's' value");
        _transfer(1, 0, v == 27 ? 28 : 27, r, bytes32(order - uint256(s)));
        expectText("ECRecover: invalid signature 's' value");
        _transfer(1, 0, 0, r, bytes32(order / 2 + 1));
        expectText("ECRecover: invalid signature");
        _transfer(1, 0, v, 0, bytes32(order / 2));
        expectText("ECRecover: invalid signature 'v' value");
        _transfer(1, 0, v - 27, r, s);
        expectText("ECRecover: invalid signature 'v' value");
        _transfer(1, 0, 29, r, s);
        expectText("ECRecover: invalid signature length");
        _transfer(1, 0, abi.encodePacked(r, s));
        expectText("ECRecover: invalid signature length");
        _transfer(1, 0, abi.encodePacked(r, s, v, uint8(0)));
        (v, r, s) = sign(OWNER, abi.encode(TRANSFER_TYPEHASH, alice, RECIPIENT, 1, START - 1, START + 10, bytes32(0)));
        expectText("FiatTokenV2: invalid signature");
        _transfer(1, 0, v, r, s);
    }

    function testFuzz_receiveWithAuthorization_isForThePayeeOnly(bool packed) public {
        (uint8 v, bytes32 r, bytes32 s) =
            sign(ALICE, abi.encode(RECEIVE_TYPEHASH, alice, RECIPIENT, 5, 0, START + 10, bytes32("n")));
        bytes memory signature = abi.encodePacked(r, s, v);
        expectText("FiatTokenV2: caller must be the payee");
        usdc.receiveWithAuthorization(alice, RECIPIENT, 5, 0, START + 10, "n", v, r, s);
        vm.prank(RECIPIENT);
        if (packed) usdc.receiveWithAuthorization(alice, RECIPIENT, 5, 0, START + 10, "n", signature);
        else usdc.receiveWithAuthorization(alice, RECIPIENT, 5, 0, START + 10, "n", v, r, s);
        vm.assertEq(usdc.balanceOf(RECIPIENT), 5);
    }

    /// @dev A4: after a cancel the authorization reads as used, and nothing was paid.
    function test_A4_cancelAuthorization_readsAsUsed_withoutPayment() public {
        (uint8 v, bytes32 r, bytes32 s) = sign(ALICE, abi.encode(CANCEL_TYPEHASH, alice, bytes32("n")));
        vm.expectEmit(address(usdc));
        emit UsdcAuthorizations.AuthorizationCanceled(alice, "n");
        usdc.cancelAuthorization(alice, "n", v, r, s);
        vm.assertTrue(usdc.authorizationState(alice, "n"), "unused");
        vm.assertEq(usdc.balanceOf(alice), HOLDING);

        expectText("FiatTokenV2: authorization is used or canceled");
        usdc.cancelAuthorization(alice, "n", v, r, s);
        (v, r, s) = signTransfer(1, "n");
        expectText("FiatTokenV2: authorization is used or canceled");
        _transfer(1, "n", v, r, s);
    }

    function test_cancelAuthorization_reverts_forOthers() public {
        (uint8 v, bytes32 r, bytes32 s) = sign(OWNER, abi.encode(CANCEL_TYPEHASH, alice, bytes32("n")));
        expectText("FiatTokenV2: invalid signature");
        usdc.cancelAuthorization(alice, "n", abi.encodePacked(r, s, v));
    }

    /// @dev A4: for a payer with code the token calls ERC-1271. A wallet confirms purchases only, see PurchaseTest: a
    /// plain signature of the session key moves nothing, in neither form.
    function test_A4_transferWithAuthorization_reverts_fromAWallet() public {
        address from = address(create("buyer", 50));
        mint(from, 1e6);
        (uint8 v, bytes32 r, bytes32 s) =
            sign(SESSION, abi.encode(TRANSFER_TYPEHASH, from, RECIPIENT, 1, 0, START + 10, bytes32(uint256(1) << 224)));
        expectText("FiatTokenV2: invalid signature");
        usdc.transferWithAuthorization(from, RECIPIENT, 1, 0, START + 10, bytes32(uint256(1) << 224), v, r, s);
        expectText("FiatTokenV2: invalid signature");
        usdc.transferWithAuthorization(
            from, RECIPIENT, 1, 0, START + 10, bytes32(uint256(1) << 224), abi.encodePacked(r, s, v)
        );
    }

    /// @dev Circle's checker is a library, so it is the token that asks. The whole answer of 32 bytes counts.
    function test_transferWithAuthorization_asksAContractFromTheToken() public {
        Erc1271Signer signer = new Erc1271Signer(address(usdc));
        mint(address(signer), 10);
        usdc.transferWithAuthorization(address(signer), RECIPIENT, 3, 0, START + 10, "bytes", hex"1234");
        usdc.transferWithAuthorization(address(signer), RECIPIENT, 3, 0, START + 10, "v, r, s", 0, 0, 0);
        vm.assertEq(usdc.balanceOf(RECIPIENT), 6);

        signer.setDirty();
        expectText("FiatTokenV2: invalid signature");
        usdc.transferWithAuthorization(address(signer), RECIPIENT, 3, 0, START + 10, "dirty", hex"1234");
        signer = new Erc1271Signer(address(this));
        expectText("FiatTokenV2: invalid signature");
        usdc.transferWithAuthorization(address(signer), RECIPIENT, 3, 0, START + 10, "reverts", hex"1234");
    }

    /// @dev Code decides how a signature is checked: a key that gained code no longer signs by ECDSA.
    function test_transferWithAuthorization_ignoresTheKey_onceItsAddressHasCode() public {
        (uint8 v, bytes32 r, bytes32 s) = signTransfer(1, 0);
        vm.etch(alice, hex"00");
        expectText("FiatTokenV2: invalid signature");
        _transfer(1, 0, v, r, s);
    }

    function test_transferWithAuthorization_acceptsErc1271() public {
        // Returns the magic value of isValidSignature to every call: PUSH4 1626ba7e, shifted left by 224 bits.
        vm.etch(alice, hex"631626ba7e60e01b5f5260205ff3");
        _transfer(3, 0, hex"1234");
        vm.assertEq(usdc.balanceOf(RECIPIENT), 3);
        // Returns 31 bytes: too short for a bytes4.
        vm.etch(alice, hex"631626ba7e60e01b5f52601f5ff3");
        expectText("FiatTokenV2: invalid signature");
        _transfer(3, "second", hex"1234");
    }

    // EIP-2612

    function testFuzz_permit_approvesOnce(uint256 value) public {
        (uint8 v, bytes32 r, bytes32 s) = sign(ALICE, abi.encode(PERMIT_TYPEHASH, alice, STRANGER, value, 0, START));
        usdc.permit(alice, STRANGER, value, START, v, r, s);
        vm.assertEq(usdc.allowance(alice, STRANGER), value);
        vm.assertEq(usdc.nonces(alice), 1);
        expectText("EIP2612: invalid signature");
        usdc.permit(alice, STRANGER, value, START, abi.encodePacked(r, s, v));
        vm.warp(START + 1);
        expectText("FiatTokenV2: permit is expired");
        usdc.permit(alice, STRANGER, value, START, v, r, s);
    }

    function test_permit_ignoresTheBlacklist() public {
        setBlacklisted(alice, true);
        setBlacklisted(STRANGER, true);
        (uint8 v, bytes32 r, bytes32 s) =
            sign(ALICE, abi.encode(PERMIT_TYPEHASH, alice, STRANGER, 5, 0, type(uint256).max));
        usdc.permit(alice, STRANGER, 5, type(uint256).max, v, r, s);
        vm.assertEq(usdc.allowance(alice, STRANGER), 5);
    }

    function test_permit_reverts_whenMalformedOrPaused() public {
        expectText("ECRecover: invalid signature 'v' value");
        usdc.permit(alice, STRANGER, 5, START, 0, 0, 0);
        vm.prank(ADMIN);
        usdc.pause();
        expectText("Pausable: paused");
        usdc.permit(alice, STRANGER, 5, START, 0, 0, 0);
    }
}
